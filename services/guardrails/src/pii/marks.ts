// What stands in the place of personal data. A mark holds no digit and no @ (but for a placeholder's number), so that a marked
// text is never marked again.
import { createHash } from 'node:crypto';
import type { JsonObject } from '@millrace/contracts';
import { numberIn } from '../guard/run-state.ts';
import { fold } from '../text/fold.ts';
import type { PiiType } from './pii-types.ts';

export const METHODS = ['mask', 'hash', 'remove', 'placeholder'] as const;
export type Method = (typeof METHODS)[number];

/** Letters of a hash: 16 of 16 possible values each, 64 bits. */
const HASH_LENGTH = 16;
const hexAsLetters = 'abcdefghijklmnop';

/** @param known numbers of the values that were met before in this run, by hash; new ones are added */
export function markOf(type: PiiType, value: string, method: Method, known: JsonObject): string {
  switch (method) {
    case 'mask':
      return type === 'email' ? '***@***.***' : '[REDACTED]';
    case 'remove':
      return '';
    case 'hash':
      return `[${nameOf(type)}:${identityOf(type, value)}]`;
    case 'placeholder':
      return `[${nameOf(type)}_${numberOf(type, identityOf(type, value), known)}]`;
  }
}

/** The same for every way to write one value. Short SHA-256, in letters; not salted: who can guess a value can check the guess. */
export function identityOf(type: PiiType, value: string): string {
  const plain = fold(value)
    .toLowerCase()
    .replace(/[\s().-]/g, '');
  const hex = createHash('sha256').update(`${type}:${plain}`).digest('hex').slice(0, HASH_LENGTH);
  return hex.replace(/./g, (digit) => hexAsLetters.charAt(Number.parseInt(digit, 16)));
}

const nameOf = (type: PiiType): string => type.toUpperCase().replaceAll('-', '_');

function numberOf(type: PiiType, identity: string, known: JsonObject): number {
  const key = `${type} ${identity}`;
  const seen = numberIn(known, key);
  if (seen > 0) return seen;
  const next = Object.keys(known).filter((other) => other.startsWith(`${type} `)).length + 1;
  known[key] = next;
  return next;
}
