import { expect, test } from 'vitest';
import { letterTable, withLetters } from './letter-table.ts';

test('letters are moved, their case and all other characters stay', () => {
  const next = letterTable((letter) => (letter + 1) % 26);
  expect(withLetters('Ab z. Zé [`{@ 無 😀', next)).toBe('Bc a. Aé [`{@ 無 😀');
  expect(withLetters('', next)).toBe('');
});
