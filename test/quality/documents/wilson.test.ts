import { expect, test } from 'vitest';
import { computeWilsonInterval, renderShare } from './wilson.ts';

test('the Wilson interval of 10 in 100 is 5.5 to 17.4 %', () => {
  const { low, high } = computeWilsonInterval(10, 100);
  expect(low).toBeCloseTo(0.0552, 3);
  expect(high).toBeCloseTo(0.1744, 3);
});

test('the Wilson interval of no hit has an upper bound above 0, and without texts it is unknown', () => {
  expect(computeWilsonInterval(0, 1_000)).toMatchObject({ low: 0 });
  expect(computeWilsonInterval(0, 1_000).high).toBeCloseTo(0.0038, 3);
  expect(computeWilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
});

test('a share is rendered with its interval', () => expect(renderShare(3, 200)).toBe('3 of 200: 1.5 % (0.5 to 4.3)'));
