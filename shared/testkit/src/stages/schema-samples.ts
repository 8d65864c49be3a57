// Reads schemas and creates a valid value for each: for tests that generate a value for each place of a schema.
import { z } from 'zod';

export type Schema = z.core.$ZodType;

const SAMPLES: readonly unknown[] = ['m1', 'text', 'openai/x', 1, true, null, {}, ['m1'], '2026-01-31T12:00:00Z'];
/** Values of members that a reader checks beyond the schema. */
const NAMED_SAMPLES: ReadonlyMap<string, string> = new Map([
  ['createdAt', '2026-01-31T12:00:00Z'],
  ['mimeType', 'image/png'],
]);
const TEXT_SAMPLES: readonly string[] = [
  'data:text/plain;base64,eA==',
  'https://example.com/x',
  ...['a', 'A', '0'].flatMap((letter) => [8, 10, 12, 16, 20, 22, 32, 40, 64].map((length) => letter.repeat(length))),
];
export function readDefinition(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  // oxlint-disable-next-line no-underscore-dangle, typescript/no-unsafe-type-assertion -- zod exposes its internals under this name
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** Returns a valid value of each required member. */
export function createNeeded(shape: z.core.$ZodShape, path: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape)
      .filter(([, member]) => !z.safeParse(member, undefined).success)
      .map(([name, member]) => [name, createSample(member, `${path}.${name}`)]),
  );
}

/** @throws if no sample fits: the test would not reach the containers behind the member */
export function createSample(schema: Schema, path: string): unknown {
  const named = NAMED_SAMPLES.get(path.split('.').at(-1) ?? '') ?? SAMPLES[0];
  const fitting = [named, ...SAMPLES, ...TEXT_SAMPLES].find((value) => z.safeParse(schema, value).success);
  if (fitting !== undefined) return fitting;
  const def = readDefinition(schema);
  switch (def.type) {
    case 'object':
      return createNeeded(def.shape, path);
    case 'array':
      return [createSample(def.element, `${path}[]`)];
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'union':
      return createSample(def.options[0] ?? schema, path);
    case 'optional':
    case 'default':
    case 'nullable':
      return createSample(def.innerType, path);
    default:
      throw new Error(`No sample fits ${path || 'the schema'} (${def.type}): add one to SAMPLES.`);
  }
}
