// Builds the marks that replace personal data. A mark contains no digit and no @ (except a placeholder's number), so
// that a marked text is never marked again.
import type { JsonObject } from '@millrace/contracts';
import type { Identify } from '../../guard/identity.ts';
import { assignNumber } from './placeholder-numbers.ts';

export const METHODS = ['mask', 'hash', 'remove', 'placeholder'] as const;
export type MaskMethod = (typeof METHODS)[number];

/** Returns whether the mark identifies its value. */
export const needsIdentity = (method: MaskMethod): boolean => method === 'hash' || method === 'placeholder';

/** @param known the run's state of placeholder-numbers.ts; new values are added */
export function buildMark(
  type: string,
  value: string,
  method: MaskMethod,
  known: JsonObject,
  identify: Identify,
): string {
  switch (method) {
    case 'mask':
      return type === 'email' ? '***@***.***' : '[REDACTED]';
    case 'remove':
      return '';
    case 'hash':
      return `[${toMarkName(type)}:${identify(type, value)}]`;
    case 'placeholder':
      return `[${toMarkName(type)}_${assignNumber(type, identify(type, value), known)}]`;
  }
}

/** Caches mark names, because there are few types and possibly thousands of marks. */
const names = new Map<string, string>();
function toMarkName(type: string): string {
  const name = names.get(type) ?? type.toUpperCase().replaceAll('-', '_');
  names.set(type, name);
  return name;
}
