import { expect, test } from 'vitest';
import { keepVector, readKeptVector, KEPT_MAX_CHARS } from './kept-vector.ts';

test('the state keeps a vector for its exact text only, to 32 bits, and only if it is small', () => {
  const state = {};
  keepVector(state, 'tea', [0.1, -1, 3e-9]);
  expect(readKeptVector(state, 'tea')).toEqual([Math.fround(0.1), -1, Math.fround(3e-9)]);
  expect(readKeptVector(state, 'coffee')).toBeUndefined();

  const large = {};
  keepVector(
    large,
    'tea',
    Array.from({ length: 3_072 }, () => 0.5),
  );
  expect(JSON.stringify(large).length).toBeLessThan(KEPT_MAX_CHARS + 100);
  expect(readKeptVector(large, 'tea')).toHaveLength(3_072);
  const tooLarge = {};
  keepVector(
    tooLarge,
    'tea',
    Array.from({ length: 3_073 }, () => 0.5),
  );
  expect(tooLarge).toEqual({});
});
