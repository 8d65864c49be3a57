// Generates, from a schema, values in which one list or record is filled with invalid elements: the dearest refusals.
import type { z } from 'zod';
import { createNeeded, readDefinition, type Schema } from './schema-samples.ts';

/** A value with one filled container at `path`. */
type HostileValue = { path: string; value: unknown };
type FillContainer = (path: string, isList: boolean) => unknown;

/** A schema that contains itself is followed this deep. */
const MAX_DEPTH = 12;

/** Returns one value for each list and record of the schema, with `count` elements that are invalid there or nearly. */
export function listHostileValues(schema: Schema, element: unknown, count: number): HostileValue[] {
  const fill: FillContainer = (_path, isList) =>
    isList
      ? Array<unknown>(count).fill(element)
      : Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, element]));
  return listPlaces(schema, '', fill, 0);
}

function listPlaces(schema: Schema, path: string, fill: FillContainer, depth: number): HostileValue[] {
  if (depth > MAX_DEPTH) return [];
  const def = readDefinition(schema);
  const inside = (inner: Schema, name: string) => listPlaces(inner, `${path}${name}`, fill, depth + 1);
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
    case 'prefault':
    case 'readonly':
      return inside(def.innerType, '');
    case 'pipe':
      return inside(def.in, '');
    case 'lazy':
      return inside(def.getter(), '');
    case 'union':
      return def.options.flatMap((option) => inside(option, ''));
    case 'intersection':
      return [...inside(def.left, ''), ...inside(def.right, '')];
    case 'array':
      return [
        { path: `${path}[]`, value: fill(path, true) },
        ...inside(def.element, '[]').map(({ path: at, value }) => ({ path: at, value: [value] })),
      ];
    case 'record':
      return [
        { path: `${path}{}`, value: fill(path, false) },
        ...inside(def.valueType, '{}').map(({ path: at, value }) => ({ path: at, value: { m1: value } })),
      ];
    case 'object':
      return listMemberPlaces(def, path, inside);
    default:
      return [];
  }
}

function listMemberPlaces(
  { shape, catchall }: z.core.$ZodObjectDef,
  path: string,
  inside: (inner: Schema, name: string) => HostileValue[],
): HostileValue[] {
  const needed = createNeeded(shape, path);
  const unknownMembers = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`unknown${at}`, {}]));
  return [
    ...(catchall ? [{ path: `${path}.*`, value: { ...needed, ...unknownMembers } }] : []),
    ...Object.entries(shape).flatMap(([name, member]) =>
      inside(member, `.${name}`).map(({ path: at, value }) => ({ path: at, value: { ...needed, [name]: value } })),
    ),
  ];
}

/** The time of JSON.parse on the same bytes is the unit: no reader can be cheaper. */
const MAX_RATIO = 4;
/** Time of the fixed part of a refusal, ms. */
const FIXED_MS = 10;
const ATTEMPTS = 3;

/** Compares the processor time of `read` with that of JSON.parse. Returns the figures if each of three attempts is dearer. */
export function findDearReading(bytes: Buffer, read: (bytes: Buffer) => unknown): string | undefined {
  const figures: string[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const parseMs = measureCost(() => JSON.parse(bytes.toString()));
    const ms = measureCost(() => read(bytes));
    if (ms <= parseMs * MAX_RATIO + FIXED_MS) return undefined;
    figures.push(`${ms} ms, JSON.parse ${parseMs} ms`);
  }
  return figures.at(-1);
}

function measureCost(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
