// Identifies a value by a hash, so that no state and no report contains the value.
import { hash } from 'node:crypto';
import { createPlainView } from '../segments/plain-view.ts';

/** Letters of a hash: 16 of 16 possible values each, 64 bits. */
export const IDENTITY_LENGTH = 16;

/**
 * Length above which a value is hashed as written, in code units. Such values are rarely repeated in another spelling,
 * and their plain view would take a turn of the event loop.
 */
export const MAX_PLAIN = 16_384;

export type Identify = (rule: string, value: string) => string;

/**
 * Returns the same identity for every spelling of a value: a short SHA-256 in letters. It is not salted, so a correct
 * guess of the value can be verified.
 */
export function hashIdentity(rule: string, value: string): string {
  const hex = hash('sha256', `${rule}:${value.length > MAX_PLAIN ? value : normalizeValue(value)}`, 'hex').slice(
    0,
    IDENTITY_LENGTH,
  );
  const letters: number[] = [];
  for (let at = 0; at < hex.length; at++) letters.push(toLetter(hex.charCodeAt(at)));
  // Creates the string in one call. A string of sixteen pieces would be joined at its first read, in the loop that
  // builds marks.
  return String.fromCharCode(...letters);
}

const normalizeValue = (value: string): string =>
  createPlainView(value)
    .text.toLowerCase()
    .replace(/[\s().-]/g, '');

/** Maps 0 to f to a to p, because a mark with digits could be marked again. */
const toLetter = (digit: number): number => (digit < 58 ? digit + 49 : digit + 10);
