// Generates options from a processor's schema: its required members without a default. A guess; a cases file can
// override it.
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from '@millrace/contracts';

/** A recursive schema is unbounded; several recursions take exponential time. */
const MAX_DEPTH = 8;
const MAX_VALUES = 1_000;
/** Maximum length of one text, UTF-16 code units. */
const MAX_TEXT = 64 * 1024;

/** Remaining budget of the whole value. */
type Making = { root: JsonSchema; left: number };

/** An extreme schema gets less than it requires. */
export function sampleOptions(schema: JsonSchema): JsonObject {
  return sampleObject(schema, { root: schema, left: MAX_VALUES }, 0);
}

/** Returns the options with every default written out. */
export function writeDefaults(schema: JsonSchema, options: JsonObject): JsonObject {
  const defaults = Object.entries(readMembers(schema['properties'])).flatMap(([name, property]) => {
    const given = asObject(property)?.['default'];
    return given === undefined ? [] : [[name, given] as const];
  });
  return { ...Object.fromEntries(defaults), ...options };
}

function sampleObject(schema: JsonObject, making: Making, depth: number): JsonObject {
  const properties = readMembers(schema['properties']);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.fromEntries(
    required.flatMap((name) => {
      const property = typeof name === 'string' ? asObject(properties[name]) : undefined;
      if (typeof name !== 'string' || property?.['default'] !== undefined || making.left <= 0) return [];
      return [[name, sample(property ?? {}, making, depth + 1)] as const];
    }),
  );
}

function sample(schema: JsonObject, making: Making, depth: number): JsonValue {
  making.left -= 1;
  if (depth > MAX_DEPTH || making.left < 0) return null;
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const [member] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const given = schema['default'] ?? schema['const'] ?? example ?? member;
  if (given !== undefined) return given;
  const variants = schema['anyOf'] ?? schema['oneOf'];
  const inner =
    asObject(Array.isArray(variants) ? variants[0] : undefined) ?? resolveReference(schema['$ref'], making.root);
  if (inner) return sample(inner, making, depth + 1);
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'string':
      return 'x'.repeat(Math.min(MAX_TEXT, Math.max(1, readNumber(schema['minLength'], 1))));
    case 'integer':
    case 'number':
      return readNumber(schema['minimum'], readNumber(schema['exclusiveMinimum'], 0) + 1);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: Math.min(making.left, readNumber(schema['minItems'], 0)) }, () =>
        sample(asObject(schema['items']) ?? {}, making, depth + 1),
      );
    case 'object':
      return sampleObject(schema, making, depth);
    default:
      return null;
  }
}

/** `#/$defs/name` within the document. */
function resolveReference(ref: JsonValue | undefined, root: JsonSchema): JsonObject | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const name of ref.slice(2).split('/')) at = readMembers(at)[name];
  return asObject(at);
}

const readNumber = (value: JsonValue | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
const asObject = (value: JsonValue | undefined): JsonObject | undefined => (isObject(value) ? value : undefined);
const readMembers = (value: JsonValue | undefined): JsonObject => asObject(value) ?? {};
