import { expect, test } from 'vitest';
import { DETECTORS } from './detect.ts';
import { PII_TYPES } from './pii-types.ts';

test('there is one detector for each type', () => {
  expect(DETECTORS.map(({ type }) => type).sort()).toEqual([...PII_TYPES].sort());
});
