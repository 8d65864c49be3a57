// What stands in the place of personal data. A mark holds no digit and no @ (but for a placeholder's number), so that a marked
// text is never marked again.
import type { JsonObject } from '@millrace/contracts';
import { numberIn } from '../guard/entry-state.ts';
import type { Identify } from '../guard/identity.ts';

export const METHODS = ['mask', 'hash', 'remove', 'placeholder'] as const;
export type Method = (typeof METHODS)[number];

/** Those that say which value they stand for. */
export const identifies = (method: Method): boolean => method === 'hash' || method === 'placeholder';

/** @param known numbers of the values that were met before in this run, by hash; new ones are added */
export function markOf(type: string, value: string, method: Method, known: JsonObject, identify: Identify): string {
  switch (method) {
    case 'mask':
      return type === 'email' ? '***@***.***' : '[REDACTED]';
    case 'remove':
      return '';
    case 'hash':
      return `[${nameOf(type)}:${identify(type, value)}]`;
    case 'placeholder':
      return `[${nameOf(type)}_${numberOf(type, identify(type, value), known)}]`;
  }
}

const nameOf = (type: string): string => type.toUpperCase().replaceAll('-', '_');

function numberOf(type: string, identity: string, known: JsonObject): number {
  const key = `${type} ${identity}`;
  const seen = numberIn(known, key);
  if (seen > 0) return seen;
  // How many there are of the type: a key without a value's hash.
  const next = numberIn(known, type) + 1;
  known[type] = next;
  known[key] = next;
  return next;
}
