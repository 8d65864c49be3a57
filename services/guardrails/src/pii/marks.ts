// What stands in the place of personal data. A mark holds no digit and no @ (but for a placeholder's number), so that a marked
// text is never marked again.
import type { JsonObject } from '@millrace/contracts';
import type { Identify } from '../guard/identity.ts';
import { placeholderNumber } from './placeholder-numbers.ts';

export const METHODS = ['mask', 'hash', 'remove', 'placeholder'] as const;
export type Method = (typeof METHODS)[number];

/** Those that say which value they stand for. */
export const identifies = (method: Method): boolean => method === 'hash' || method === 'placeholder';

/** @param known what placeholder-numbers.ts knows of this run; new values are added */
export function markOf(type: string, value: string, method: Method, known: JsonObject, identify: Identify): string {
  switch (method) {
    case 'mask':
      return type === 'email' ? '***@***.***' : '[REDACTED]';
    case 'remove':
      return '';
    case 'hash':
      return `[${nameOf(type)}:${identify(type, value)}]`;
    case 'placeholder':
      return `[${nameOf(type)}_${placeholderNumber(type, identify(type, value), known)}]`;
  }
}

/** There are few types, and may be thousands of marks. */
const names = new Map<string, string>();
function nameOf(type: string): string {
  const name = names.get(type) ?? type.toUpperCase().replaceAll('-', '_');
  names.set(type, name);
  return name;
}
