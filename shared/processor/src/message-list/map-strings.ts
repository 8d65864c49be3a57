// Maps and lists the strings of a JSON value.
import type { JsonValue } from '@millrace/contracts';

/** Maps every string inside a JSON value and keeps keys; returns the same value if nothing changed. */
export function mapStrings<T>(value: T, map: (text: string) => string): T;
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  return typeof value === 'string' ? map(value) : mapMembers(value, (member) => mapStrings(member, map));
}

/**
 * Maps the members of an array or object; returns the same value if nothing changed. An element of an array has the key
 * ''.
 */
export function mapMembers(value: unknown, map: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const mapped = value.map((member: unknown) => map(member, ''));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, map(member, key)] as const);
  const before: Record<string, unknown> = { ...value };
  return entries.every(([key, member]) => member === before[key]) ? value : Object.fromEntries(entries);
}

/** Returns all strings inside a JSON value, in order. */
export function listStrings(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: JsonValue) => listStrings(member));
}
