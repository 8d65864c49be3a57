// JSON as it travels. Everything that crosses the wire is one of these values.
import { z } from 'zod';
import { typed } from './typed-schema.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

// Values inside a parsed message are JSON by construction (they came out of JSON.parse), so the schemas do not walk them
// again: `unknown` in, the JSON type out. What is *made* here is checked where it is serialized (see assertJson).
export const jsonValueSchema = z
  .custom<JsonValue>((value) => value !== undefined)
  .meta({ description: 'any JSON value' });
export const jsonObjectSchema = typed<JsonObject>(z.record(z.string(), z.unknown()));

/** A JSON Schema document. Kept loose: the validator that uses it says what is wrong with it. */
export const jsonSchemaSchema = jsonObjectSchema.describe('a JSON Schema document');
export type JsonSchema = JsonObject;

/** How deep arrays and objects in one message may stand in each other: far below what JSON.stringify can write. */
export const MAX_NESTING = 128;

/** How deep a value of somebody else (a model, a tool, a caller) may be: whatever it then stands in is within the bounds of a message. */
export const MAX_VALUE_NESTING = 96;

/** Whether something in it stands deeper than `levels`. Looks no deeper, so that it is safe for any value. */
export function isNestedDeeper(value: unknown, levels: number = MAX_NESTING): boolean {
  if (!hasMembers(value)) return false;
  if (levels <= 0) return true;
  // This is asked for every message and every chunk of a stream: no list of the members is made, texts and numbers cost no call, and
  // arrays are counted through, since naming their places costs six times as much.
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

const hasMembers = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * What a text of somebody else says as JSON; undefined: it is none, or none that a message may carry, for its depth or for a member
 * `__proto__`.
 */
export function readJson(text: string): { value: JsonValue } | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isNestedDeeper(value, MAX_VALUE_NESTING) || hasProtoMember(text, value) ? undefined : { value };
  } catch {
    return undefined;
  }
}

/** Some copies of an object would set such a member as its prototype. @param text what `value` was read from: only one that may name it is walked */
export function hasProtoMember(text: string, value: unknown): boolean {
  // Plain searches first: they cost next to nothing where there is nothing to find.
  const mayBe = text.includes('__proto__') || (text.includes('\\u00') && /\\u00[567]/.test(text));
  return mayBe && namesProto(value);
}

function namesProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(namesProto);
}

/**
 * Where in `value` something stands that JSON cannot carry (a function, a symbol, undefined in an array, a bigint, a
 * cycle, NaN, an object of a class: a Map would arrive as {}, more than 128 levels), as a path such as `$.cache.get`; undefined when all of it can travel. Objects with a toJSON are asked.
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
  if (Array.isArray(value)) return firstOf(value.entries(), (key) => `${path}[${key}]`, within);
  if (!isPlain(value)) return path;
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return firstOf(present, (key) => `${path}.${key}`, within);
}

/** Of no class: its prototype is Object's, of whichever realm, or none. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function firstOf<K>(entries: Iterable<[K, unknown]>, name: (key: K) => string, seen: readonly object[]) {
  for (const [key, member] of entries) {
    const found = findUnserializable(member, name(key), seen);
    if (found) return found;
  }
  return undefined;
}
