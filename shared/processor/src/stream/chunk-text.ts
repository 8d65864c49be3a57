// Every field of a chunk that holds a model's (or a tool's, or a processor's) text, in one place: a guard that looked at deltas
// only would let the same text through in a tool call's arguments, an object or a finished message. What is not text is named here,
// by an allow-list: a field, and a type of chunk, that nobody knows is text. Deltas are not here: they are held back (hold-back.ts),
// because a secret may span two of them.
import { isDataChunk, ownMember, type Chunk, type JsonValue } from '@millrace/contracts';

/** What every chunk has. */
const ENVELOPE = new Set(['type', 'runId', 'from', 'payload']);
/** A custom chunk is its maker's: whatever it holds, beside these, may quote the user. */
const DATA_ENVELOPE = new Set(['type', 'id', 'runId', 'from', 'transient']);
/** Ids, names and states of ours and of providers: never text, wherever they stand. */
const STRUCTURE = new Set([
  'approvalId',
  'approvalRequestId',
  'containerId',
  'createdAt',
  'encryptedContent',
  'eventTimestamp',
  'fileId',
  'finishReason',
  'id',
  'itemId',
  'kind',
  'messageId',
  'mimeType',
  'model',
  'modelId',
  'namespace',
  'phase',
  'processorId',
  'reasoningEncryptedContent',
  'redactedData',
  'resourceId',
  'responseId',
  'role',
  'serviceTier',
  'signature',
  'sourceType',
  'state',
  'threadId',
  'timestamp',
  'toolCallId',
  'toolName',
  'type',
]);
/** Of these types a member more is none. */
const NO_TEXT: Record<string, readonly string[]> = { 'tool-output-denied': ['code'], finish: [], 'step-finish': [] };
/** These are an envelope of messages and calls, and of what providers tell: text is what stands in it under no name of the structure. */
const ENVELOPES = new Set([
  'output',
  'messages',
  'metadata',
  'providerMetadata',
  'response',
  'stepResult',
  'totalUsage',
  'warnings',
]);
/** Of these types alone `output` is such an envelope: elsewhere it is a tool's. */
const STEP_ENDS = new Set(['step-finish', 'finish']);
/** Inside these everything is text, whatever its key. */
const TEXT_INSIDE = new Set(['args', 'result']);
/** The bytes of a file; a URL in their place is text. */
const FILES = new Set(['file', 'reasoning-file']);
const BYTES = new Set(['data', 'base64']);

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
  const envelope = isDataChunk(chunk) ? DATA_ENVELOPE : ENVELOPE;
  const outer = mapFields(chunk, (name, value) => (envelope.has(name) ? value : mapValue(value)));
  const payload: unknown = !isDataChunk(chunk) && 'payload' in chunk ? chunk.payload : undefined;
  if (payload === undefined || payload === null) return outer;
  // Of a type that nobody knows a payload may be of any shape.
  if (typeof payload !== 'object' || Array.isArray(payload)) {
    const whole = mapValue(payload);
    return whole === payload ? outer : withPayload(outer, whole);
  }
  const mapped = mapFields(payload, (name, value) => mapMember(chunk.type, name, value, mapValue));
  return mapped === payload ? outer : withPayload(outer, mapped);
}

function mapMember(type: string, name: string, value: unknown, map: (value: unknown) => unknown): unknown {
  if (STRUCTURE.has(name) || ownMember(NO_TEXT, type)?.includes(name) || isHeldBack(type, name)) return value;
  if (FILES.has(type) && BYTES.has(name) && !isUrl(value)) return value;
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  const isEnvelope = ENVELOPES.has(name) && (name !== 'output' || STEP_ENDS.has(type)) && typeof value === 'object';
  if (!isEnvelope || isPlainMetadata(type, name)) return map(value);
  return mapEnvelope(value, map, name === 'stepResult' ? 'reason' : undefined);
}

/** A tripwire's metadata is its processor's: all of it is text. */
const isPlainMetadata = (type: string, name: string): boolean => type === 'tripwire' && name === 'metadata';

/** The text of a piece is judged with the pieces around it. */
function isHeldBack(type: string, name: string): boolean {
  return name === 'text'
    ? type === 'text-delta' || type === 'reasoning-delta'
    : name === 'argsTextDelta' && type === 'tool-call-delta';
}

const DELTA = new Set(['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta']);
/** Of an id. */
const MAX_ID_CHARS = 256;

/**
 * A piece of text with nothing beside it but ids: what else it carries could be the text again in pieces, which nobody can judge. The
 * same chunk where there is nothing else.
 */
export function bareDelta<T extends Chunk & { payload: object }>(delta: T): T {
  let isBare = true;
  for (const name in delta.payload) isBare &&= DELTA.has(name);
  if (isBare) return delta;
  const payload = Object.entries(delta.payload).flatMap(([name, value]) => {
    if (name === 'providerMetadata') return [[name, idsAlone(value)] as const];
    return DELTA.has(name) ? [[name, value] as const] : [];
  });
  return { ...delta, payload: Object.fromEntries(payload) };
}

/** By provider. */
function idsAlone(metadata: unknown): object {
  return Object.fromEntries(
    Object.entries(isObject(metadata) ? metadata : {}).map(([provider, members]: [string, unknown]) => [
      provider,
      Object.fromEntries(Object.entries(isObject(members) ? members : {}).filter(isId)),
    ]),
  );
}

const isId = ([name, value]: [string, unknown]): boolean =>
  STRUCTURE.has(name) && typeof value === 'string' && value.length <= MAX_ID_CHARS;

const isUrl = (value: unknown): boolean => typeof value === 'string' && /^[a-z]+:/i.test(value);

/** @param kept a name that is none elsewhere */
function mapEnvelope(value: unknown, map: (value: unknown) => unknown, kept?: string): unknown {
  const isFile = isObject(value) && 'type' in value && FILES.has(String(value.type));
  return mapMembers(value, (member, key) => {
    if (STRUCTURE.has(key) || (isFile && BYTES.has(key) && !isUrl(member))) return member;
    if (key === kept) return member;
    if (typeof member === 'string' || TEXT_INSIDE.has(key)) return map(member);
    return mapEnvelope(member, map);
  });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function withPayload(chunk: Chunk, payload: unknown): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same payload, with strings in place of strings
  return { ...chunk, payload } as Chunk;
}

function mapFields<T extends object>(object: T, map: (name: string, value: unknown) => unknown): T {
  const changed = Object.entries(object).flatMap(([key, value]) => {
    const mapped = map(key, value);
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
