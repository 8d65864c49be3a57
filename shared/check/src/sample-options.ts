// Options that fit a processor's schema, made of the schema: what it asks for and has no default. A guess: a cases file says better.
import type { JsonObject, JsonSchema, JsonValue } from '@millrace/contracts';

/** A schema that refers to itself has no end; one that does so often has none within a lifetime. */
const MAX_DEPTH = 8;
const MAX_VALUES = 1_000;
/** Of one text, UTF-16 code units. */
const MAX_TEXT = 64 * 1024;

/** What is left to make, of all of it. */
type Making = { root: JsonSchema; left: number };

/** A schema that asks for more than anybody means gets less than it asks for. */
export function sampleOptions(schema: JsonSchema): JsonObject {
  return objectOf(schema, { root: schema, left: MAX_VALUES }, 0);
}

/** The same with every default written out. */
export function writtenDefaults(schema: JsonSchema, options: JsonObject): JsonObject {
  const defaults = Object.entries(membersOf(schema['properties'])).flatMap(([name, property]) => {
    const given = asObject(property)?.['default'];
    return given === undefined ? [] : [[name, given] as const];
  });
  return { ...Object.fromEntries(defaults), ...options };
}

function objectOf(schema: JsonObject, making: Making, depth: number): JsonObject {
  const properties = membersOf(schema['properties']);
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
  const inner = asObject(Array.isArray(variants) ? variants[0] : undefined) ?? referred(schema['$ref'], making.root);
  if (inner) return sample(inner, making, depth + 1);
  const [type] = [schema['type']].flat();
  switch (type) {
    case 'string':
      return 'x'.repeat(Math.min(MAX_TEXT, Math.max(1, numberOf(schema['minLength'], 1))));
    case 'integer':
    case 'number':
      return numberOf(schema['minimum'], numberOf(schema['exclusiveMinimum'], 0) + 1);
    case 'boolean':
      return false;
    case 'array':
      return Array.from({ length: Math.min(making.left, numberOf(schema['minItems'], 0)) }, () =>
        sample(asObject(schema['items']) ?? {}, making, depth + 1),
      );
    case 'object':
      return objectOf(schema, making, depth);
    default:
      return null;
  }
}

/** `#/$defs/name` within the document. */
function referred(ref: JsonValue | undefined, root: JsonSchema): JsonObject | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return undefined;
  let at: JsonValue | undefined = root;
  for (const name of ref.slice(2).split('/')) at = membersOf(at)[name];
  return asObject(at);
}

const numberOf = (value: JsonValue | undefined, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;
const asObject = (value: JsonValue | undefined): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
const membersOf = (value: JsonValue | undefined): JsonObject => asObject(value) ?? {};
