// Encodes the state of a processor for one process: Set, Map, Date and bytes become tagged JSON and are restored at the
// next call. Timers are removed; any other value that is not JSON is rejected with its path.
import { isObject, MAX_NESTING, MillraceError, type JsonObject, type JsonValue } from '@millrace/contracts';
import type { StateCodec } from '@millrace/processor';

/** An object with only this member is a tagged value. */
const TAG = '$foreign';

export const foreignState: StateCodec = {
  decode: decodeMembers,
  encode: (state) => encodeMembers(state, 'state', [state]),
};

function encodeMembers(value: object, place: string, seen: readonly object[]): JsonObject {
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(present.map(([key, member]) => [key, encodeValue(member, `${place}.${key}`, seen)]));
}

function encodeValue(value: unknown, place: string, seen: readonly object[]): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw createRefusal(place, String(value));
    case 'object':
      break;
    default:
      throw createRefusal(place, `a ${typeof value}`);
  }
  if (value === null) return null;
  if (seen.includes(value)) throw createRefusal(place, 'a circle');
  if (seen.length >= MAX_NESTING) throw createRefusal(place, `more than ${MAX_NESTING} levels`);
  return encodeObject(value, place, [...seen, value]);
}

function encodeObject(value: object, place: string, seen: readonly object[]): JsonValue {
  const encodeAll = (members: Iterable<unknown>) =>
    Array.from(members, (member, at) => encodeItem(member, `${place}[${at}]`, seen));
  if (Array.isArray(value)) return encodeAll(value);
  if (value instanceof Date) return tagValue('date', value.toJSON());
  if (value instanceof Set) return tagValue('set', encodeAll(value));
  if (value instanceof Map) return tagValue('map', encodeAll(value));
  if (value instanceof Uint8Array) return tagValue('bytes', Buffer.from(value).toString('base64'));
  if ('toJSON' in value && typeof value.toJSON === 'function') return encodeValue(value.toJSON(), place, seen);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw createRefusal(place, `an object of ${value.constructor.name}`);
  }
  const members = encodeMembers(value, place, seen);
  return Object.hasOwn(members, TAG) ? tagValue('object', members) : members;
}

/** JSON has no gaps: undefined in a list becomes null. */
const encodeItem = (value: unknown, place: string, seen: readonly object[]): JsonValue =>
  value === undefined ? null : encodeValue(value, place, seen);
const tagValue = (kind: string, value: JsonValue): JsonValue => ({ [TAG]: kind, value });

/** Never throws: an unknown tag is kept as data. */
function decodeValue(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(decodeValue);
  if (!isObject(value)) return value;
  const { [TAG]: kind, value: inner = null } = value;
  switch (kind) {
    case 'date':
      return new Date(typeof inner === 'string' ? inner : Number.NaN);
    case 'set':
      return new Set(Array.isArray(inner) ? inner.map(decodeValue) : []);
    case 'map':
      return new Map(Array.isArray(inner) ? inner.map(readPair) : []);
    case 'bytes':
      return new Uint8Array(Buffer.from(typeof inner === 'string' ? inner : '', 'base64'));
    case 'object':
      return isObject(inner) ? decodeMembers(inner) : inner;
    default:
      return decodeMembers(value);
  }
}

function decodeMembers(value: JsonObject): object {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decodeValue(member)]));
}
const readPair = (value: JsonValue): [unknown, unknown] =>
  Array.isArray(value) ? [decodeValue(value[0] ?? null), decodeValue(value[1] ?? null)] : [value, undefined];

function createRefusal(place: string, what: string): MillraceError {
  return new MillraceError('state-not-serializable', `The state holds ${what} at ${place}, which cannot travel.`, {
    path: place,
    remedy: 'Keep JSON, Set, Map, Date and bytes in the state; anything else as a member of the processor.',
  });
}
