import { expect, test } from 'vitest';
import { inHalf } from './half.ts';
import type { PlacedSample } from './sample.ts';

const sampleOf = (text: string): PlacedSample => ({
  text,
  label: 'benign',
  where: 'user',
  source: 'own',
  language: 'en',
  group: 'g',
  place: 'p',
});
const samples = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(sampleOf);

test('every text is in one half, and stays there whatever stands beside it', () => {
  const [lookedAt, kept] = [inHalf(samples, 'looked-at'), inHalf(samples, 'kept')];
  expect(new Set([...lookedAt, ...kept])).toEqual(new Set(samples));
  expect(lookedAt.length + kept.length).toBe(samples.length);
  expect(lookedAt.length).toBeGreaterThan(0);
  expect(kept.length).toBeGreaterThan(0);
  for (const sample of kept) expect(inHalf([sample], 'kept')).toEqual([sample]);
  expect(inHalf(samples, undefined)).toEqual(samples);
});

test('another half there is not', () => expect(() => inHalf(samples, 'third')).toThrow('looked-at or kept'));
