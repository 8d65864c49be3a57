import { expect, test } from 'vitest';
import { DETECTORS } from './detect.ts';
import { MAX_LOOKUPS_PER_TEXT, createPhoneBook } from './phone-book.ts';
import { PII_TYPES } from './pii-types.ts';

test('there is one detector for each type', () => {
  expect(DETECTORS.map(({ type }) => type).sort()).toEqual([...PII_TYPES].sort());
});

test('numbers that nobody could look up any more count as phone numbers', () => {
  const phones = createPhoneBook(['FR']);
  const answers = Array.from({ length: MAX_LOOKUPS_PER_TEXT + 1 }, () => phones.isNational('0000000000'));
  expect(answers.indexOf(true)).toBe(MAX_LOOKUPS_PER_TEXT);
});
