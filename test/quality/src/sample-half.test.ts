import { expect, test } from 'vitest';
import { selectHalf } from './sample-half.ts';
import type { PlacedSample } from './sample.ts';

const buildSample = (text: string): PlacedSample => ({
  text,
  label: 'benign',
  where: 'user',
  source: 'own',
  language: 'en',
  group: 'g',
  place: 'p',
});
const samples = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map(buildSample);

test('every text belongs to one half, regardless of the other texts', () => {
  const [lookedAt, kept] = [selectHalf(samples, 'looked-at'), selectHalf(samples, 'kept')];
  expect(new Set([...lookedAt, ...kept])).toEqual(new Set(samples));
  expect(lookedAt.length + kept.length).toBe(samples.length);
  expect(lookedAt.length).toBeGreaterThan(0);
  expect(kept.length).toBeGreaterThan(0);
  for (const sample of kept) expect(selectHalf([sample], 'kept')).toEqual([sample]);
  expect(selectHalf(samples, undefined)).toEqual(samples);
});

test('selectHalf rejects an unknown half', () =>
  expect(() => selectHalf(samples, 'third')).toThrow('looked-at or kept'));
