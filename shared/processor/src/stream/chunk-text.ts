// Every field of a chunk that holds a model's (or a tool's, or a processor's) text, in one place: a guard that looked at deltas
// only would let the same text through in a tool call's arguments, an object or a finished message. Deltas are not here: they are
// held back (hold-back.ts), because a secret may span two of them.
import { isDataChunk, type Chunk, type JsonValue } from '@millrace/contracts';

/** Where the text stands: members of the chunk's payload, or of the chunk itself for objects and data chunks. */
const TEXT_FIELDS: Record<string, readonly string[]> = {
  'tool-call': ['args', 'output'],
  'tool-result': ['result', 'args'],
  'tool-error': ['error', 'args'],
  'tool-output': ['output'],
  'tool-output-denied': ['reason'],
  'tool-call-approval': ['args'],
  'tool-call-suspended': ['args', 'suspendPayload'],
  file: ['filename', 'name', 'title'],
  source: ['title', 'url', 'filename'],
  tripwire: ['reason', 'metadata'],
  'step-finish': [],
  finish: [],
  error: ['error'],
};
/** Members that hold messages and calls: their ids and names are the run's, and stay. */
const ENVELOPES: Record<string, readonly string[]> = { 'step-finish': ['output'], finish: ['output', 'messages'] };
const STRUCTURE = new Set([
  'id',
  'messageId',
  'threadId',
  'resourceId',
  'toolCallId',
  'toolName',
  'role',
  'type',
  'state',
  'createdAt',
]);
/** Inside these everything is text, whatever its key. */
const TEXT_INSIDE = new Set(['args', 'result']);
/** A custom chunk is its maker's: whatever it holds, beside these, may quote the user. */
const DATA_ENVELOPE = ['type', 'id', 'runId', 'from', 'transient'];
const OWN_FIELDS: Record<string, readonly string[]> = { object: ['object'], 'object-result': ['object'] };

/** Gives back a JSON value in the place of one: the same where nothing changes. */
export type MapChunkValue = (value: JsonValue) => JsonValue;

/** The chunk with every string of its text fields mapped; the same chunk when nothing changed. */
export function mapChunkText(chunk: Chunk, map: (text: string) => string): Chunk {
  return mapChunkValues(chunk, (value) => mapStrings(value, map));
}

/** The chunk with the values of its text fields mapped, each as a whole; the same chunk when nothing changed. */
export function mapChunkValues(chunk: Chunk, map: MapChunkValue): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a chunk is JSON, and so is all that is in it
  const mapValue = (value: unknown) => map(value as JsonValue);
  const own = isDataChunk(chunk)
    ? Object.keys(chunk).filter((name) => !DATA_ENVELOPE.includes(name))
    : OWN_FIELDS[chunk.type];
  if (own) return mapFields(chunk, own, mapValue);
  const fields = TEXT_FIELDS[chunk.type];
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  if (!fields || typeof payload !== 'object' || payload === null) return chunk;
  const mapped = mapFields(payload, fields, mapValue);
  const whole = mapFields(mapped, ENVELOPES[chunk.type] ?? [], (value) => mapEnvelope(value, mapValue));
  return whole === payload ? chunk : withPayload(chunk, whole);
}

function mapEnvelope(value: unknown, map: (value: unknown) => unknown): unknown {
  return mapMembers(value, (member, key) => {
    if (STRUCTURE.has(key)) return member;
    if (typeof member === 'string' || TEXT_INSIDE.has(key)) return map(member);
    return mapEnvelope(member, map);
  });
}

function withPayload(chunk: Chunk, payload: unknown): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same payload, with strings in place of strings
  return { ...chunk, payload } as Chunk;
}

function mapFields<T extends object>(object: T, fields: readonly string[], map: (value: unknown) => unknown): T {
  const changed = Object.entries(object).flatMap(([key, value]) => {
    if (!fields.includes(key)) return [];
    const mapped = map(value);
    return mapped === value ? [] : [[key, mapped] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

/** Every string inside a JSON value, keys left alone; the same value when nothing changed. */
export function mapStrings<T>(value: T, map: (text: string) => string): T;
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  return typeof value === 'string' ? map(value) : mapMembers(value, (member) => mapStrings(member, map));
}

/** The members of an array or object mapped; the same value when nothing changed. A member of an array has the key ''. */
function mapMembers(value: unknown, map: (member: unknown, key: string) => unknown): unknown {
  if (Array.isArray(value)) {
    const mapped = value.map((member: unknown) => map(member, ''));
    return mapped.every((member, at) => member === value[at]) ? value : mapped;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, map(member, key)] as const);
  const before: Record<string, unknown> = { ...value };
  return entries.every(([key, member]) => member === before[key]) ? value : Object.fromEntries(entries);
}

/** All strings inside a JSON value, in order. */
export function stringsOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: JsonValue) => stringsOf(member));
}
