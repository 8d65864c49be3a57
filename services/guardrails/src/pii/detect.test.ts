import { expect, test } from 'vitest';
import { DETECTORS } from './detect.ts';
import { BOUNDS } from '../guard/bounds.ts';
import { createPhoneBook } from './phone-book.ts';
import { PII_TYPES } from './pii-types.ts';

test('there is one detector for each type', () => {
  expect(DETECTORS.map(({ type }) => type).sort()).toEqual([...PII_TYPES].sort());
});

test('look-ups in numbering plans are bounded', () => {
  const phones = createPhoneBook(['FR']);
  for (let at = 0; at < BOUNDS.lookups; at++) phones.isNational('0000000000');
  expect(() => phones.isNational('0000000000')).toThrow('lookups');
});
