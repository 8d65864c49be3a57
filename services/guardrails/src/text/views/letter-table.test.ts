import { expect, test } from 'vitest';
import { createLetterTable, replaceLetters } from './letter-table.ts';

test('the table replaces letters and keeps their case and all other characters', () => {
  const next = createLetterTable((letter) => (letter + 1) % 26);
  expect(replaceLetters('Ab z. Zé [`{@ 無 😀', next)).toBe('Bc a. Aé [`{@ 無 😀');
  expect(replaceLetters('', next)).toBe('');
});
