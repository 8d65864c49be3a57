// A value for a JSON Schema: the known fields by name, and the emptiest value everywhere else.
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import { isJsonObject, type UnknownObject } from '../json.ts';

type FilledValue = { readonly value: unknown; readonly isKnown: boolean };
type Context = { readonly root: UnknownObject; readonly known: ReadonlyMap<string, string>; readonly depth: number };

/** References may be circular: below this depth every value is null. */
const MAX_DEPTH = 24;
const NULL: FilledValue = { value: null, isKnown: false };

/** Zero, the first member of an enum, an empty text or list; absent if the member is optional. Not checked against the schema. */
export const buildEmptiestValue = (schema: UnknownObject): unknown =>
  fill(schema, '', { root: schema, known: new Map(), depth: 0 }).value;

/** @throws a 400 that names the place if the value does not fit the schema, for example a `pattern` */
export function buildStructuredValue(schema: UnknownObject, known: ReadonlyMap<string, string>): unknown {
  const { value } = fill(schema, '', { root: schema, known, depth: 0 });
  const check = compileChecker(schema)?.safeParse(value);
  if (check === undefined || check.success) return value;
  const { path, message } = describeIssue(check.error);
  throw new ApiError({
    status: 400,
    code: 'unsupported_schema',
    message: `dev-model has no value for this schema: ${path || 'the root'}: ${message}. Script the answer instead.`,
  });
}

/** Undefined if zod does not know a keyword; then the value is not checked. */
function compileChecker(schema: UnknownObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}

function fill(schema: unknown, name: string, context: Context): FilledValue {
  if (!isJsonObject(schema) || context.depth > MAX_DEPTH) return NULL;
  const inner = { ...context, depth: context.depth + 1 };
  if (typeof schema['$ref'] === 'string') return fill(findReferenced(schema['$ref'], context.root), name, inner);
  if ('const' in schema) return { value: schema['const'], isKnown: false };
  const types = [schema['type'] ?? ('properties' in schema ? 'object' : 'string')].flat();
  const branches =
    schema['anyOf'] ?? schema['oneOf'] ?? (types.length > 1 && types.map((type) => ({ ...schema, type })));
  if (Array.isArray(branches)) return fillBranches(branches, name, inner);
  if (types[0] === 'object') return fillObject(schema, inner);
  if (types[0] === 'array') return fillArray(schema, name, inner);
  return fillScalar(schema, types[0], context.known.get(name.toLowerCase()));
}

/** The first branch with a known value; else null if the schema allows it; else the first branch. */
function fillBranches(branches: readonly unknown[], name: string, context: Context): FilledValue {
  const filled = branches.map((branch) => fill(branch, name, context));
  return filled.find(({ isKnown }) => isKnown) ?? filled.find(({ value }) => value === null) ?? filled[0] ?? NULL;
}

function fillObject(schema: UnknownObject, context: Context): FilledValue {
  const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = properties
    .map(([name, property]) => ({ name, filled: fill(property, name, context) }))
    .filter(({ name, filled }) => filled.isKnown || required.includes(name));
  return {
    value: Object.fromEntries(members.map(({ name, filled }) => [name, filled.value])),
    isKnown: members.some(({ filled }) => filled.isKnown),
  };
}

function fillArray(schema: UnknownObject, name: string, context: Context): FilledValue {
  const item = fill(schema['items'], name, context);
  if (item.isKnown) return { value: [item.value], isKnown: true };
  return { value: Array.from({ length: readNumberOr(schema['minItems'], 0) }, () => item.value), isKnown: false };
}

function fillScalar(schema: UnknownObject, type: unknown, known: string | undefined): FilledValue {
  if (Array.isArray(schema['enum'])) return { value: schema['enum'][0], isKnown: false };
  if (type === 'string')
    return { value: known ?? '-'.repeat(readNumberOr(schema['minLength'], 0)), isKnown: known !== undefined };
  if (type === 'boolean') return { value: false, isKnown: false };
  if (type !== 'integer' && type !== 'number') return NULL;
  const least = Math.max(
    readNumberOr(schema['minimum'], -Infinity),
    readNumberOr(schema['exclusiveMinimum'], -Infinity) + 1,
  );
  return { value: Math.min(Math.max(0, least), readNumberOr(schema['maximum'], Infinity)), isKnown: false };
}

const readNumberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** Follows `#/$defs/name`; undefined for any other reference. */
function findReferenced(pointer: string, root: UnknownObject): unknown {
  if (!pointer.startsWith('#')) return undefined;
  const keys = pointer.split('/').slice(1);
  return keys.reduce<unknown>((at, key) => (isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined), root);
}
