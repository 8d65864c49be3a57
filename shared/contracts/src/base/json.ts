// Defines JSON values and checks for them. Every value on the wire is one of these.
import { z } from 'zod';
import { castSchema } from './typed-schema.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

// Values inside a parsed message are JSON by construction (results of JSON.parse), so the schemas do not traverse them
// again: `unknown` in, the JSON type out. Values that are *created* here are checked at serialization (see assertJson).
export const jsonValueSchema = z
  .custom<JsonValue>((value) => value !== undefined)
  .meta({ description: 'any JSON value' });
/** The text of a value that JSON.stringify would write otherwise: json-text.ts. */
export const jsonTextSchema = z
  .string()
  .optional()
  .describe('the JSON text of the value; absent if JSON.stringify writes it');
export const jsonObjectSchema = castSchema<JsonObject>(z.record(z.string(), z.unknown()));

/** A JSON Schema document. Its structure is not checked: the validator that compiles it reports problems. */
export const jsonSchemaSchema = jsonObjectSchema.describe('a JSON Schema document');
export type JsonSchema = JsonObject;

/** Maximum nesting of arrays and objects in one message: far below the limit of JSON.stringify. */
export const MAX_NESTING = 128;

/**
 * Maximum nesting of a foreign value (of a model, a tool, a caller), so that the message that contains it stays within
 * its own limit.
 */
export const MAX_VALUE_NESTING = 96;

/** Returns true if the value is nested deeper than `levels`. Reads no deeper, so it is safe for any value. */
export function isNestedDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (!hasMembers(value)) return false;
  if (levels <= 0) return true;
  // Every message and every chunk passes this check: the code allocates no list of members, strings and numbers cost no
  // call, and arrays use an index, because for-in costs six times as much.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const member: unknown = value[at];
      if (hasMembers(member) && isNestedDeeper(member, levels - 1)) return true;
    }
    return false;
  }
  for (const key in value) {
    const member = value[key];
    if (hasMembers(member) && isNestedDeeper(member, levels - 1)) return true;
  }
  return false;
}

/** Returns true for an object that is no array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const hasMembers = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Parses untrusted text as JSON. Returns undefined if it is not JSON, or if a message cannot carry it because of its
 * depth or a member `__proto__`.
 */
export function readJson(text: string): { value: JsonValue } | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isNestedDeeper(value, MAX_VALUE_NESTING) || hasProtoMember(text, value) ? undefined : { value };
  } catch {
    return undefined;
  }
}

/**
 * Copying an object could set such a member as its prototype. @param text the source of `value`: the value is traversed
 * only if the text may contain the name
 */
export function hasProtoMember(text: string, value: unknown): boolean {
  // The text searches are cheap and skip the traversal in almost all cases.
  const mayBe = text.includes('__proto__') || (text.includes('\\u00') && /\\u00[567]/.test(text));
  return mayBe && isProtoHolder(value);
}

function isProtoHolder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(isProtoHolder);
}

/**
 * Returns the path of a value that JSON cannot represent (a function, a symbol, undefined in an array, a bigint, a
 * cycle, NaN, an instance of a class: a Map would arrive as {}, more than 128 levels), such as `$.cache.get`; undefined
 * if the whole value is JSON. Objects with a toJSON are converted first.
 */
export function findUnserializable(value: unknown, path = '$', seen: readonly object[] = []): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : path;
    case 'object':
      break;
    default:
      return path;
  }
  if (value === null) return undefined;
  if (seen.includes(value) || seen.length >= MAX_NESTING) return path;
  if ('toJSON' in value && typeof value.toJSON === 'function') return undefined;
  const within = [...seen, value];
  if (Array.isArray(value)) return findFirst(value.entries(), (key) => `${path}[${key}]`, within);
  if (!isPlain(value)) return path;
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return findFirst(present, (key) => `${path}.${key}`, within);
}

/** Returns true for an object without a class: its prototype is Object's, of any realm, or null. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function findFirst<K>(entries: Iterable<[K, unknown]>, name: (key: K) => string, seen: readonly object[]) {
  for (const [key, member] of entries) {
    const found = findUnserializable(member, name(key), seen);
    if (found) return found;
  }
  return undefined;
}
