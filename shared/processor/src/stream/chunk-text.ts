// Lists every field of a chunk that may contain text of a model, a tool or a processor: a guard that judged only deltas
// would pass the same text in a tool call's arguments, an object or a finished message. The allow-list names fields
// that are not text; unknown fields and unknown types of chunk are text. Deltas are excluded: they are held back
// (hold-back.ts), because a secret may span two of them.
import { isDataChunk, getOwnMember, hasStructureFormat, type Chunk, type JsonValue } from '@millrace/contracts';
import { mapFileText } from './file-text.ts';

/** Members of every chunk. */
const ENVELOPE = new Set(['type', 'runId', 'from', 'payload']);
/** All members of a custom chunk except these may quote the user. */
const DATA_ENVELOPE = new Set(['type', 'id', 'runId', 'from', 'transient']);
/** Ids, names and states of Millrace and of providers: never text, in any position. */
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
  'label',
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
/** For these types an additional member is not text. */
const NO_TEXT: Record<string, readonly string[]> = { 'tool-output-denied': ['code'], finish: [], 'step-finish': [] };
/** Envelopes of messages, calls and provider data: their content is text unless its name is in STRUCTURE. */
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
/** Only for these types is `output` such an envelope: elsewhere it belongs to a tool. */
const STEP_ENDS = new Set(['step-finish', 'finish']);
/** Inside these, all strings are text, for every key. */
const TEXT_INSIDE = new Set(['args', 'result']);
/** Bytes of a file are not text, except those of a text type; a URL in their place is text. */
const FILES = new Set(['file', 'reasoning-file']);
const BYTES = new Set(['data', 'base64']);

/** Maps a JSON value; returns the same value if nothing changes. */
export type MapChunkValue = (value: JsonValue) => JsonValue;

/** Returns the chunk with every string of its text fields mapped; the same chunk if nothing changed. */
export function mapChunkText(chunk: Chunk, map: (text: string) => string): Chunk {
  return mapChunkValues(chunk, (value) => mapStrings(value, map));
}

/** Returns the chunk with the values of its text fields mapped, each as a whole; the same chunk if nothing changed. */
export function mapChunkValues(chunk: Chunk, map: MapChunkValue): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a chunk is JSON, and so is all that is in it
  const mapValue = (value: unknown) => map(value as JsonValue);
  const envelope = isDataChunk(chunk) ? DATA_ENVELOPE : ENVELOPE;
  const outer = mapFields(chunk, (name, value) =>
    envelope.has(name) && (name !== 'id' || hasStructureFormat(name, value)) ? value : mapValue(value),
  );
  const payload: unknown = !isDataChunk(chunk) && 'payload' in chunk ? chunk.payload : undefined;
  if (payload === undefined || payload === null) return outer;
  // The payload of an unknown type may be of any shape.
  if (typeof payload !== 'object' || Array.isArray(payload)) {
    const whole = mapValue(payload);
    return whole === payload ? outer : withPayload(outer, whole);
  }
  const mimeType: unknown = Reflect.get(payload, 'mimeType');
  const mapped = mapFields(payload, (name, value) =>
    FILES.has(chunk.type) && BYTES.has(name)
      ? mapBytes(value, mimeType, mapValue)
      : mapMember(chunk.type, name, value, mapValue),
  );
  return mapped === payload ? outer : withPayload(outer, mapped);
}

function mapMember(type: string, name: string, value: unknown, map: (value: unknown) => unknown): unknown {
  if (isStructure(name, value) || getOwnMember(NO_TEXT, type)?.includes(name) || isHeldBack(type, name)) return value;
  if (typeof value === 'boolean' || value === null || value === undefined) return value;
  const isEnvelope = ENVELOPES.has(name) && (name !== 'output' || STEP_ENDS.has(type)) && typeof value === 'object';
  if (!isEnvelope || isPlainMetadata(type, name)) return map(value);
  return mapEnvelope(value, map, name === 'stepResult' ? 'reason' : undefined);
}

/** A value of another form is text, whatever its name is. */
const isStructure = (name: string, value: unknown): boolean => STRUCTURE.has(name) && hasStructureFormat(name, value);

/** A tripwire's metadata belongs to its processor: all of it is text. */
const isPlainMetadata = (type: string, name: string): boolean => type === 'tripwire' && name === 'metadata';

/** The text of a delta is judged together with the adjacent deltas. */
function isHeldBack(type: string, name: string): boolean {
  return name === 'text'
    ? type === 'text-delta' || type === 'reasoning-delta'
    : name === 'argsTextDelta' && type === 'tool-call-delta';
}

const DELTA = new Set(['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta']);
/** Maximum length of an id. */
const MAX_ID_CHARS = 256;

/**
 * Removes all members of a text chunk except ids: additional members could repeat the text in pieces, which no guard
 * can judge. Returns the same chunk if there are none.
 */
export function toBareDelta<T extends Chunk & { payload: object }>(delta: T): T {
  let isBare = true;
  for (const name in delta.payload) isBare &&= DELTA.has(name);
  if (isBare) return delta;
  const payload = Object.entries(delta.payload).flatMap(([name, value]) => {
    if (name === 'providerMetadata') return [[name, keepIds(value)] as const];
    return DELTA.has(name) ? [[name, value] as const] : [];
  });
  return { ...delta, payload: Object.fromEntries(payload) };
}

/** Keyed by provider. */
function keepIds(metadata: unknown): object {
  return Object.fromEntries(
    Object.entries(isObject(metadata) ? metadata : {}).map(([provider, members]: [string, unknown]) => [
      provider,
      Object.fromEntries(Object.entries(isObject(members) ? members : {}).filter(isId)),
    ]),
  );
}

const isId = ([name, value]: [string, unknown]): boolean =>
  STRUCTURE.has(name) && typeof value === 'string' && value.length <= MAX_ID_CHARS;

const mapBytes = (value: unknown, mimeType: unknown, map: (text: unknown) => unknown): unknown =>
  typeof value === 'string' ? mapFileText(value, mimeType, map) : value;

/** @param kept a name that is not text here only */
function mapEnvelope(value: unknown, map: (value: unknown) => unknown, kept?: string): unknown {
  const isFile = isObject(value) && 'type' in value && FILES.has(String(value.type));
  return mapMembers(value, (member, key) => {
    if (isStructure(key, member)) return member;
    if (isFile && BYTES.has(key)) return mapBytes(member, Reflect.get(value, 'mimeType'), map);
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

/** Maps every string inside a JSON value and keeps keys; returns the same value if nothing changed. */
export function mapStrings<T>(value: T, map: (text: string) => string): T;
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  return typeof value === 'string' ? map(value) : mapMembers(value, (member) => mapStrings(member, map));
}

/**
 * Maps the members of an array or object; returns the same value if nothing changed. An element of an array has the key
 * ''.
 */
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

/** Returns all strings inside a JSON value, in order. */
export function listStrings(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((member: JsonValue) => listStrings(member));
}
