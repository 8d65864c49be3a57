// Generates, from a schema, values with a mark in one place each: in every string, in every name that a sender may choose, and
// inside every value of any shape.
import type { z } from 'zod';
import { createNeeded, createSample, readDefinition, type Schema } from './schema-samples.ts';

/** A value with the mark at `path`. The schema may refuse it: a place with a known set of strings has no room for a mark. */
export type MarkedValue = { path: string; value: unknown };

/** A schema that contains itself is followed this deep. */
const MAX_DEPTH = 24;

/** Names that a reader may treat in another way than unknown ones: each is a place of each object that is open. */
type MarkOptions = { mark: string; names: readonly string[] };

/** @param mark in the place of each string */
export const listMarkedValues = (schema: Schema, mark: string, names: readonly string[] = []): MarkedValue[] =>
  listPlaces(schema, '', { mark, names }, 0);

function listPlaces(schema: Schema, path: string, options: MarkOptions, depth: number): MarkedValue[] {
  if (depth > MAX_DEPTH) return [];
  const { mark } = options;
  const def = readDefinition(schema);
  const inside = (inner: Schema, name: string) => listPlaces(inner, `${path}${name}`, options, depth + 1);
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return inside(def.innerType, '');
    case 'pipe':
      return inside(def.in, '');
    case 'lazy':
      return inside(def.getter(), '');
    case 'union':
      return def.options.flatMap((option) => inside(option, nameOption(option)));
    case 'intersection':
      return [...inside(def.left, ''), ...inside(def.right, '')];
    case 'array':
      return inside(def.element, '[]').map((inner) => ({ ...inner, value: [inner.value] }));
    case 'record':
      return [
        { path: `${path}{name}`, value: { [mark]: createSample(def.valueType, path) } },
        ...inside(def.valueType, '{}').map((inner) => ({ ...inner, value: { m1: inner.value } })),
      ];
    case 'object':
      return listMemberPlaces(def, path, options, inside);
    case 'string':
    case 'literal':
    case 'enum':
    case 'template_literal':
      return [{ path, value: mark }];
    case 'unknown':
    case 'any':
    case 'custom':
      return listAnyPlaces(path, mark);
    case 'number':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'never':
      return [];
    default:
      throw new Error(`${path} has a schema of the type ${def.type}: add it to mark-places.ts.`);
  }
}

/** Places of a value that may have any shape. */
const listAnyPlaces = (path: string, mark: string): MarkedValue[] => [
  { path, value: mark },
  { path: `${path}.any`, value: { m1: mark } },
  { path: `${path}.any{name}`, value: { [mark]: 1 } },
  { path: `${path}.any[].any{name}`, value: [{ m1: { [mark]: true } }] },
];

function listMemberPlaces(
  { shape, catchall }: z.core.$ZodObjectDef,
  path: string,
  { mark, names }: MarkOptions,
  inside: (inner: Schema, name: string) => MarkedValue[],
): MarkedValue[] {
  const needed = createNeeded(shape, path);
  const isOpen = catchall !== undefined && readDefinition(catchall).type !== 'never';
  const withMembers = (members: object) => ({ ...needed, ...members });
  const unknown = listAnyPlaces(`${path}.*`, mark).map(({ path: at, value }) => ({
    path: at,
    value: withMembers({ unknown: value }),
  }));
  const named = names
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => ({ path: `${path}.*${name}`, value: withMembers({ [name]: mark }) }));
  const marked = { path: `${path}.{name}`, value: withMembers({ [mark]: null }) };
  return [
    ...(isOpen ? [...unknown, ...named, marked] : []),
    ...Object.entries(shape).flatMap(([name, member]) =>
      inside(member, `.${name}`).map((inner) => ({ ...inner, value: withMembers({ [name]: inner.value }) })),
    ),
  ];
}

/** Names an option by its discriminator. */
function nameOption(option: Schema): string {
  const def = readDefinition(option);
  if (def.type !== 'object') return '';
  const tag = def.shape['type'] ?? def.shape['op'];
  const literal = tag && readDefinition(tag);
  return literal?.type === 'literal' ? `<${String(literal.values[0])}>` : '<other>';
}
