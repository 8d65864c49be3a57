// What a guard remembers of a value that it met: a hash, so that no state and no report holds the value itself.
import { hash } from 'node:crypto';
import { plainView } from '../segments/plain-view.ts';

/** Letters of a hash: 16 of 16 possible values each, 64 bits. */
export const IDENTITY_LENGTH = 16;

/** A longer value is known as it is written, code units: nobody types it twice, and its plain view would take a turn of its own. */
export const MAX_PLAIN = 16_384;

export type Identify = (rule: string, value: string) => string;

/** The same for every way to write one value. Short SHA-256, in letters; not salted: who can guess a value can check the guess. */
export function identityOf(rule: string, value: string): string {
  const hex = hash('sha256', `${rule}:${value.length > MAX_PLAIN ? value : plainOf(value)}`, 'hex').slice(
    0,
    IDENTITY_LENGTH,
  );
  const letters: number[] = [];
  for (let at = 0; at < hex.length; at++) letters.push(asLetter(hex.charCodeAt(at)));
  // In one go: a string of sixteen pieces is put together where it is first read, which is where marks are made.
  return String.fromCharCode(...letters);
}

const plainOf = (value: string): string =>
  plainView(value)
    .text.toLowerCase()
    .replace(/[\s().-]/g, '');

/** 0 to f become a to p: a mark with digits in it might be marked again. */
const asLetter = (digit: number): number => (digit < 58 ? digit + 49 : digit + 10);
