// Every field of a chunk that holds a model's (or a tool's) text, in one place: a guard that looked at deltas only would let
// the same text through in a tool call's arguments, an object or a finished message. Deltas are not here: they are held back
// (hold-back.ts), because a secret may span two of them.
import type { Chunk, JsonValue } from '@millrace/contracts';

/** Where the text stands: members of the chunk's payload, or of the chunk itself for objects and data chunks. */
const TEXT_FIELDS: Record<string, readonly string[]> = {
  'tool-call': ['args', 'output'],
  'tool-result': ['result', 'args'],
  'tool-error': ['error', 'args'],
  'tool-output': ['output'],
  source: ['title', 'url', 'filename'],
  'step-finish': ['output'],
  finish: ['output', 'messages'],
  error: ['error'],
};
const OWN_FIELDS: Record<string, readonly string[]> = { object: ['object'], 'object-result': ['object'] };

/** The chunk with every string of its text fields mapped; the same chunk when nothing changed. */
export function mapChunkText(chunk: Chunk, map: (text: string) => string): Chunk {
  const own = OWN_FIELDS[chunk.type];
  if (own) return mapFields(chunk, own, map);
  const fields = TEXT_FIELDS[chunk.type];
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  if (!fields || typeof payload !== 'object' || payload === null) return chunk;
  const mapped = mapFields(payload, fields, map);
  return mapped === payload ? chunk : withPayload(chunk, mapped);
}

function withPayload(chunk: Chunk, payload: unknown): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same payload, with strings in place of strings
  return { ...chunk, payload } as Chunk;
}

function mapFields<T extends object>(object: T, fields: readonly string[], map: (text: string) => string): T {
  const changed = Object.entries(object).flatMap(([key, value]) => {
    if (!fields.includes(key)) return [];
    const mapped = mapStrings(value, map);
    return mapped === value ? [] : [[key, mapped] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

/** Every string inside a JSON value, keys left alone; the same value when nothing changed. */
export function mapStrings<T>(value: T, map: (text: string) => string): T;
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) {
    const mapped = value.map((member: unknown) => mapStrings(member, map));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, mapStrings(member, map)] as const);
  const before: Record<string, unknown> = { ...value };
  return entries.every(([key, member]) => member === before[key]) ? value : Object.fromEntries(entries);
}

/** All strings inside a JSON value, in order. */
export function stringsOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: JsonValue) => stringsOf(member));
}
