// Lists every field of a chunk that may contain text of a model, a tool or a processor: a guard that judged only deltas
// would pass the same text in a tool call's arguments, an object or a finished message. The allow-list names fields
// that are not text; unknown fields, their names, and unknown types of chunk are text. The text of deltas is excluded: it is
// held back (hold-back.ts), because a secret may span two of them.
import { isDataChunk, getOwnMember, hasIdFormat, type Chunk, type JsonValue } from '@millrace/contracts';
import {
  BYTES,
  ENVELOPES,
  FILES,
  isIdName,
  isKnownName,
  isStructure,
  NO_TEXT,
  STEP_ENDS,
  TEXT_INSIDE,
} from './chunk-names.ts';
import { mapMembers, mapStrings } from '../message-list/map-strings.ts';
import { mapFileText } from './file-text.ts';
import { withMappedMembers } from './map-texts.ts';

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
  const outer = mapFields(chunk, (name, value) =>
    isEnvelope(chunk, name, value) ? [name, value] : mapNamed(name, value, mapValue),
  );
  const payload: unknown = !isDataChunk(chunk) && 'payload' in chunk ? chunk.payload : undefined;
  if (payload === undefined || payload === null) return outer;
  // The payload of an unknown type may be of any shape.
  if (typeof payload !== 'object' || Array.isArray(payload)) {
    const whole = mapValue(payload);
    return whole === payload ? outer : withPayload(outer, whole);
  }
  const mimeType: unknown = Reflect.get(payload, 'mimeType');
  const isUnknownTool = Reflect.get(payload, 'unknownTool') === true;
  const mapped = mapFields(payload, (name, value) =>
    FILES.has(chunk.type) && BYTES.has(name)
      ? [name, mapBytes(value, mimeType, mapValue)]
      : isUnknownTool && name === 'toolName'
        ? mapNamed(name, value, mapValue)
        : mapMember(chunk.type, name, value, mapValue),
  );
  return mapped === payload ? outer : withPayload(outer, mapped);
}

/** Members of every chunk; all other members of a custom chunk may quote the user. */
function isEnvelope(chunk: Chunk, name: string, value: unknown): boolean {
  if (name === 'type' || name === 'runId' || name === 'from') return true;
  if (!isDataChunk(chunk)) return name === 'payload';
  return name === 'id' ? hasIdFormat(value) : name === 'transient' && typeof value === 'boolean';
}

type MapAny = (value: unknown) => unknown;
type Field = readonly [name: string, value: unknown];

function mapMember(type: string, name: string, value: unknown, map: MapAny): Field {
  if (type === 'source' && name === 'id') return mapNamed(name, value, map);
  if (isStructure(name, value) || isHeldBack(type, name)) return [name, value];
  if (getOwnMember(NO_TEXT, type)?.includes(name) && hasIdFormat(value)) return [name, value];
  const isEnvelopeName = ENVELOPES.has(name) && (name !== 'output' || STEP_ENDS.has(type)) && typeof value === 'object';
  if (!isEnvelopeName || isPlainMetadata(type, name)) return mapNamed(name, value, map);
  return [name, mapEnvelope(value, map, name === 'stepResult' ? 'reason' : undefined)];
}

/** Maps a value, and its name together with it if that is unknown. */
function mapNamed(name: string, value: unknown, map: MapAny): Field {
  if (value === undefined) return [name, value];
  if (isKnownName(name)) return [name, typeof value === 'boolean' || value === null ? value : map(value)];
  const [mapped = [name, value]] = Object.entries(Object(map({ [name]: value })));
  return mapped;
}

/** A tripwire's metadata belongs to its processor: all of it is text. */
const isPlainMetadata = (type: string, name: string): boolean => type === 'tripwire' && name === 'metadata';

/** The text of a delta is judged together with the adjacent deltas. */
function isHeldBack(type: string, name: string): boolean {
  return name === 'text'
    ? type === 'text-delta' || type === 'reasoning-delta'
    : name === 'argsTextDelta' && type === 'tool-call-delta';
}

const DELTA = new Set(['id', 'text', 'toolCallId', 'toolName', 'argsTextDelta']);
/** Returns whether an id or name of the piece has another form, so that it is text. */
export function hasOddIds({ payload }: Chunk & { payload: object }): boolean {
  for (const name in payload) if (isIdName(name) && !isStructure(name, Reflect.get(payload, name))) return true;
  return false;
}

const OUTER = new Set(['type', 'runId', 'from', 'payload']);
/**
 * Removes all members of a text chunk except ids: additional members could repeat the text in pieces, which no guard
 * can judge. Returns the same chunk if there are none.
 */
export function toBareDelta<T extends Chunk & { payload: object }>(delta: T): T {
  let isBare = true;
  for (const name in delta) isBare &&= OUTER.has(name);
  for (const name in delta.payload) isBare &&= DELTA.has(name);
  if (isBare) return delta;
  const payload = Object.entries(delta.payload).flatMap(([name, value]) => {
    if (name === 'providerMetadata') return [[name, keepIds(value)] as const];
    return DELTA.has(name) ? [[name, value] as const] : [];
  });
  const outer = Object.entries(delta).filter(([name]) => OUTER.has(name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same chunk without its unknown members
  return { ...Object.fromEntries(outer), payload: Object.fromEntries(payload) } as T;
}

/** Keyed by provider. */
function keepIds(metadata: unknown): object {
  return Object.fromEntries(
    Object.entries(isObject(metadata) ? metadata : {})
      .filter(([provider]) => isKnownName(provider))
      .map(([provider, members]: [string, unknown]) => [
        provider,
        Object.fromEntries(Object.entries(isObject(members) ? members : {}).filter(isId)),
      ]),
  );
}

const isId = ([name, value]: [string, unknown]): boolean => isStructure(name, value) && hasIdFormat(value);

const mapBytes = (value: unknown, mimeType: unknown, map: (text: unknown) => unknown): unknown =>
  typeof value === 'string' ? mapFileText(value, mimeType, map) : value;

/** Members with ids that a reader may show: the ids are text. */
const CITED: ReadonlySet<string> = new Set(['source', 'sources']);

/** Maps the texts of a provider's metadata; returns the same value if nothing changed. */
export const mapMetadata = (value: unknown, map: MapChunkValue): unknown =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- metadata is JSON
  typeof value === 'object' ? mapEnvelope(value, (inner) => map(inner as JsonValue)) : value && map(value as JsonValue);

/** @param kept a name that is not text here only @param isCited the value is a source, or contains sources */
function mapEnvelope(value: unknown, map: MapAny, kept?: string, isCited = false): unknown {
  const isFile = isObject(value) && 'type' in value && FILES.has(String(value.type));
  const mapOne = (member: unknown, key: string) => {
    const isText = isCited && key === 'id';
    if (!isText && (isStructure(key, member) || (key === kept && hasIdFormat(member)))) return member;
    if (isFile && BYTES.has(key)) return mapBytes(member, Reflect.get(value, 'mimeType'), map);
    if (typeof member === 'string' || TEXT_INSIDE.has(key)) return map(member);
    return mapEnvelope(member, map, undefined, CITED.has(key) || (isCited && key === ''));
  };
  if (!isObject(value) || Array.isArray(value)) return mapMembers(value, mapOne);
  return mapFields(value, (key, member) => [isKnownName(key) ? key : mapName(key, map), mapOne(member, key)]);
}

const mapName = (name: string, map: MapAny): string => Object.keys(Object(map({ [name]: null })))[0] ?? name;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function withPayload(chunk: Chunk, payload: unknown): Chunk {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same payload, with strings in place of strings
  return { ...chunk, payload } as Chunk;
}

function mapFields<T extends object>(object: T, map: (name: string, value: unknown) => Field): T {
  const members = Object.entries(object).map(([before, given]) => {
    const [name, value] = map(before, given);
    return { before, name, value };
  });
  return withMappedMembers(object, members);
}
