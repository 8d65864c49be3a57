// Makes a value that fits a JSON Schema, from what is known about its fields. What is not known is null where the schema
// allows null, absent where the field is optional, and else the emptiest value that fits: nothing is invented.
import { isJsonObject, type JsonObject } from '../json.ts';
import { emptiestScalar, knownScalar } from './fill-scalar.ts';
import type { FieldValues } from './field-values.ts';

/** `known`: whether anything in it was learned, rather than filled in because the schema wants something there. */
type Filled = { readonly value: unknown; readonly known: boolean };

/** References may be circular: below this depth only the emptiest value is made. */
const maxDepth = 24;

export function fillSchema(schema: JsonObject, valuesOf: FieldValues): unknown {
  return fill(schema, '', { root: schema, valuesOf, isRequired: true, depth: 0 }).value;
}

type Context = {
  readonly root: JsonObject;
  readonly valuesOf: FieldValues;
  readonly isRequired: boolean;
  readonly depth: number;
};

function fill(schema: unknown, fieldName: string, context: Context): Filled {
  if (!isJsonObject(schema) || context.depth > maxDepth) return { value: null, known: false };
  const inner = { ...context, depth: context.depth + 1 };

  if (typeof schema['$ref'] === 'string') return fill(referenced(schema['$ref'], context.root), fieldName, inner);
  if ('const' in schema) return { value: schema['const'], known: false };
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(branches)) return fillBranches(branches, fieldName, inner);
  if (Array.isArray(schema['allOf'])) return fill(mergedAll(schema, context.root), fieldName, inner);

  const types = typesOf(schema);
  if (types.length > 1)
    return fillBranches(
      types.map((type) => ({ ...schema, type })),
      fieldName,
      inner,
    );
  if (types[0] === 'object') return fillObject(schema, inner);
  if (types[0] === 'array') return fillArray(schema, fieldName, inner);
  return fillScalar({ ...schema, type: types[0] }, fieldName, inner);
}

/** The first branch that something is known for; else null, if that is one; else the first. */
function fillBranches(branches: readonly unknown[], fieldName: string, context: Context): Filled {
  const filled = branches.map((branch) => fill(branch, fieldName, context));
  const none: Filled = { value: null, known: false };
  return filled.find(({ known }) => known) ?? (allowsNull(branches) ? none : (filled[0] ?? none));
}

const allowsNull = (branches: readonly unknown[]): boolean =>
  branches.some((branch) => isJsonObject(branch) && (branch['type'] === 'null' || branch['const'] === null));

function fillObject(schema: JsonObject, context: Context): Filled {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const entries = Object.entries(properties)
    .map(([name, property]) => ({ name, isRequired: required.includes(name), property }))
    .map((entry) => ({
      ...entry,
      filled: fill(entry.property, entry.name, { ...context, isRequired: entry.isRequired }),
    }))
    .filter(({ isRequired, filled }) => filled.known || isRequired);
  return {
    value: Object.fromEntries(entries.map(({ name, filled }) => [name, filled.value])),
    known: entries.some(({ filled }) => filled.known),
  };
}

function fillArray(schema: JsonObject, fieldName: string, context: Context): Filled {
  const items = schema['items'] ?? {};
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Infinity;
  const least = typeof schema['minItems'] === 'number' ? schema['minItems'] : 0;
  const { news, whole } = context.valuesOf(fieldName);
  // A list that may be left out gets what is new; one that must be there loses nothing.
  const known = context.isRequired ? whole : news;
  const each = known
    .map((value) => fill(items, fieldName, { ...context, valuesOf: () => ({ news: [value], whole: [value] }) }))
    .filter(({ known }) => known)
    .slice(0, most);
  const values = each.map(({ value }) => value);
  while (values.length < least) values.push(fill(items, '', context).value);
  return { value: values, known: each.length > 0 };
}

function fillScalar(schema: JsonObject, fieldName: string, context: Context): Filled {
  const { news, whole } = context.valuesOf(fieldName);
  // In one text a list can only be given anew, with what it had before.
  const value = knownScalar(schema, context.isRequired || news.length > 0 ? whole : []);
  return value === undefined ? { value: emptiestScalar(schema), known: false } : { value, known: true };
}

function typesOf(schema: JsonObject): string[] {
  const types = [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
  if (types.length > 0) return types;
  if ('properties' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['string'];
}

/** `#/$defs/name`; anything but a pointer into the schema itself is unknown. */
function referenced(pointer: string, root: JsonObject): unknown {
  if (!pointer.startsWith('#')) return undefined;
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonObject(at) ? at[name] : Array.isArray(at) ? at[Number(name)] : undefined;
  }, root);
}

/** The parts of an allOf as one schema: their properties and required fields together. */
function mergedAll(schema: JsonObject, root: JsonObject): JsonObject {
  const { allOf, ...own } = schema;
  const parts = [own, ...listOf(allOf)]
    .map((part) => (isJsonObject(part) && typeof part['$ref'] === 'string' ? referenced(part['$ref'], root) : part))
    .filter(isJsonObject);
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map((part) => objectOf(part['properties']))),
    required: parts.flatMap((part) => listOf(part['required'])),
  };
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
