// Maps and lists all texts of a JSON value: its strings and the names of its members, because a model and a reader read both.
import { renameDuplicates, type JsonValue } from '@millrace/contracts';
import { isKnownName } from './chunk-names.ts';

/** A member that an object has after its name and its value were mapped. `before`: the name that it had. */
export type MappedMember = { before: string; name: string; value: unknown };

/** Returns the texts in order, each name before its value. */
export function listTexts(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return Object.entries(value).flatMap(([name, member]) => [name, ...listTexts(member)]);
}

/** Maps every text inside; returns the same value if nothing changed. */
export function mapTexts<T extends JsonValue>(value: T, map: (text: string) => string): T;
export function mapTexts(value: JsonValue, map: (text: string) => string): JsonValue {
  if (typeof value === 'string') return map(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const mapped = value.map((member) => mapTexts(member, map));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  }
  const mapped = Object.entries(value).map(([name, member]) => [map(name), mapTexts(member, map)] as const);
  const isSame = Object.entries(value).every(
    ([name, member], at) => mapped[at]?.[0] === name && mapped[at][1] === member,
  );
  return isSame ? value : Object.fromEntries(renameDuplicates(mapped));
}

/**
 * Returns the object with the mapped members, or the same object if none changed. A new name never takes the place of another
 * member, or of a name with a meaning in messages and chunks.
 */
export function withMappedMembers<T extends object>(object: T, members: readonly MappedMember[]): T {
  const before: ReadonlyMap<string, unknown> = new Map(Object.entries(object));
  const renamed = members.filter((member) => member.name !== member.before);
  if (renamed.length === 0 && members.every((member) => before.get(member.name) === member.value)) return object;
  const kept = members.filter((member) => member.name === member.before);
  const names = [...kept, ...renamed.filter(({ name }) => isKnownName(name))].map(({ name }) => name);
  const taken = [...new Set(names)].map((name) => [name, null] as const);
  const free = renameDuplicates([...taken, ...renamed.map(({ name }) => [name, null] as const)]).slice(taken.length);
  const found = new Map(renamed.map((member, at) => [member, free[at]?.[0] ?? member.name]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members, with text in place of text
  return Object.fromEntries(members.map((member) => [found.get(member) ?? member.name, member.value])) as T;
}
