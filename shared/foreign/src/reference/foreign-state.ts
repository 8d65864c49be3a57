// The state of a processor that was written for one process: Set, Map, Date and bytes in it travel as tagged JSON and are themselves again
// at the next call. Timers are gone by then; everything else that is not JSON is refused by its place.
import { MAX_NESTING, MillraceError, type JsonObject, type JsonValue } from '@millrace/contracts';
import type { StateCodec } from '@millrace/processor';

/** An object with this one member stands for something else. */
const TAG = '$foreign';

export const foreignState: StateCodec = {
  decode: decodedMembers,
  encode: (state) => encodedMembers(state, 'state', [state]),
};

function encodedMembers(value: object, place: string, seen: readonly object[]): JsonObject {
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(present.map(([key, member]) => [key, encoded(member, `${place}.${key}`, seen)]));
}

function encoded(value: unknown, place: string, seen: readonly object[]): JsonValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw refused(place, String(value));
    case 'object':
      break;
    default:
      throw refused(place, `a ${typeof value}`);
  }
  if (value === null) return null;
  if (seen.includes(value)) throw refused(place, 'a circle');
  if (seen.length >= MAX_NESTING) throw refused(place, `more than ${MAX_NESTING} levels`);
  return encodedObject(value, place, [...seen, value]);
}

function encodedObject(value: object, place: string, seen: readonly object[]): JsonValue {
  const all = (members: Iterable<unknown>) =>
    Array.from(members, (member, at) => item(member, `${place}[${at}]`, seen));
  if (Array.isArray(value)) return all(value);
  if (value instanceof Date) return tagged('date', value.toJSON());
  if (value instanceof Set) return tagged('set', all(value));
  if (value instanceof Map) return tagged('map', all(value));
  if (value instanceof Uint8Array) return tagged('bytes', Buffer.from(value).toString('base64'));
  if ('toJSON' in value && typeof value.toJSON === 'function') return encoded(value.toJSON(), place, seen);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw refused(place, `an object of ${value.constructor.name}`);
  }
  const members = encodedMembers(value, place, seen);
  return Object.hasOwn(members, TAG) ? tagged('object', members) : members;
}

/** JSON has no gaps: what is undefined in a list is null. */
const item = (value: unknown, place: string, seen: readonly object[]): JsonValue =>
  value === undefined ? null : encoded(value, place, seen);
const tagged = (kind: string, value: JsonValue): JsonValue => ({ [TAG]: kind, value });

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Never throws: what it does not know stays as it is. */
function decoded(value: JsonValue): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (!isObject(value)) return value;
  const { [TAG]: kind, value: inner = null } = value;
  switch (kind) {
    case 'date':
      return new Date(typeof inner === 'string' ? inner : Number.NaN);
    case 'set':
      return new Set(Array.isArray(inner) ? inner.map(decoded) : []);
    case 'map':
      return new Map(Array.isArray(inner) ? inner.map(pair) : []);
    case 'bytes':
      return new Uint8Array(Buffer.from(typeof inner === 'string' ? inner : '', 'base64'));
    case 'object':
      return isObject(inner) ? decodedMembers(inner) : inner;
    default:
      return decodedMembers(value);
  }
}

function decodedMembers(value: JsonObject): object {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decoded(member)]));
}
const pair = (value: JsonValue): [unknown, unknown] =>
  Array.isArray(value) ? [decoded(value[0] ?? null), decoded(value[1] ?? null)] : [value, undefined];

function refused(place: string, what: string): MillraceError {
  return new MillraceError('state-not-serializable', `The state holds ${what} at ${place}, which cannot travel.`, {
    path: place,
    remedy: 'Keep JSON, Set, Map, Date and bytes in the state; anything else as a member of the processor.',
  });
}
