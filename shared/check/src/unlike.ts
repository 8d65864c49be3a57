// Where a value is not what is expected of it. What is expected says only what counts: members of objects may be left out.
import type { JsonValue } from '@millrace/contracts';
import { shortJson } from './broken.ts';

/** In words; undefined where it fits. */
export function unlike(expected: JsonValue, value: unknown, path = 'the verdict'): string | undefined {
  if (typeof expected !== 'object' || expected === null)
    return expected === value ? undefined : `${path} is ${shortJson(value)}, not ${shortJson(expected)}`;
  if (typeof value !== 'object' || value === null) return `${path} is ${shortJson(value)}, not ${shortJson(expected)}`;
  if (Array.isArray(expected) && (!Array.isArray(value) || value.length !== expected.length))
    return `${path} is ${shortJson(value)}, not ${shortJson(expected)}`;
  for (const [key, member] of Object.entries(expected)) {
    const difference = unlike(
      member,
      Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      `${path}.${key}`,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}
