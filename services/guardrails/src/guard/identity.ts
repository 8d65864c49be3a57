// What a guard remembers of a value that it met: a hash, so that no state and no report holds the value itself.
import { createHash } from 'node:crypto';
import { fold } from '../text/fold.ts';

/** Letters of a hash: 16 of 16 possible values each, 64 bits. */
const HASH_LENGTH = 16;
const hexAsLetters = 'abcdefghijklmnop';

/** The same for every way to write one value. Short SHA-256, in letters; not salted: who can guess a value can check the guess. */
export function identityOf(rule: string, value: string): string {
  const plain = fold(value)
    .toLowerCase()
    .replace(/[\s().-]/g, '');
  const hex = createHash('sha256').update(`${rule}:${plain}`).digest('hex').slice(0, HASH_LENGTH);
  return hex.replace(/./g, (digit) => hexAsLetters.charAt(Number.parseInt(digit, 16)));
}
