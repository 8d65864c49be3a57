// Generates nested schemas of all kinds: those that json-fit.ts handles, and those that it leaves to zod.
import * as fc from 'fast-check';
import { z } from 'zod';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';

/** Excludes names of the object's prototype: zod treats those as members. */
const names = fc.constantFrom('a', 'b', 'type', '0');

const texts = [
  z.string(),
  z.string().min(2),
  z.string().max(3),
  z.string().min(1).max(100),
  z.string().length(2),
  z.string().regex(/^[a-z]/u),
  z.string().regex(/a/g),
  z.string().trim(),
];
const leaves: z.ZodType[] = [
  ...texts,
  z.email(),
  z.number(),
  z.number().int(),
  z.int(),
  z.number().min(0),
  z.number().positive(),
  z.number().lt(3),
  z.number().multipleOf(2),
  z.number().int().min(1).max(200),
  z.coerce.number(),
  z.boolean(),
  z.null(),
  z.unknown(),
  z.any(),
  z.never(),
  z.literal(['a', 'b']),
  z.literal(0),
  z.enum(['a', 'constructor']),
  jsonValueSchema,
  jsonObjectSchema,
  z.custom((value) => value),
  z.string().transform((text) => text.length),
  z.unknown().refine((value) => value !== 1),
];

const wrappers: readonly ((inner: z.ZodType) => z.ZodType)[] = [
  (inner) => inner.optional(),
  (inner) => inner.exactOptional(),
  (inner) => inner.nullable(),
  (inner) => inner.nullish(),
  (inner) => inner.default('a'),
  (inner) => inner.catch(1),
  (inner) => inner.readonly(),
  (inner) => inner.describe('described'),
  (inner) => z.lazy(() => inner),
  (inner) => z.array(inner),
  (inner) => z.array(inner).min(1).max(1),
  (inner) => z.looseRecord(z.string().regex(/^a/), inner),
  (inner) => z.record(z.enum(['a', 'constructor']), inner),
  (inner) => z.partialRecord(z.enum(['a', 'constructor']), inner),
  ...texts.map((key) => (inner: z.ZodType) => z.record(key, inner)),
];

const several: readonly ((options: z.ZodType[]) => z.ZodType)[] = [
  (options) => z.union(options),
  (options) => z.xor(options),
  ([first = z.string(), ...rest]) => z.tuple([first, ...rest]),
];

type Made = { schemas: z.ZodType; shapes: Record<string, z.ZodType>; objects: z.ZodObject };

export const { schemas } = fc.letrec<Made>((tie) => ({
  shapes: fc.dictionary(names, tie('schemas'), { maxKeys: 3, noNullPrototype: true }),
  objects: fc
    .tuple(tie('shapes'), fc.constantFrom(z.object, z.strictObject, z.looseObject))
    .map(([shape, make]): z.ZodObject => make(shape)),
  schemas: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...leaves),
    fc.tuple(tie('schemas'), fc.constantFrom(...wrappers)).map(([inner, wrap]) => wrap(inner)),
    fc
      .tuple(fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }), fc.constantFrom(...several))
      .map(([options, make]) => make(options)),
    tie('objects'),
    tie('objects').map((object) => object.partial()),
    tie('objects').map((object) => object.refine((value) => Object.keys(value).length > 1)),
    fc.tuple(tie('objects'), tie('schemas')).map(([object, rest]) => object.catchall(rest)),
    fc
      .tuple(tie('shapes'), tie('shapes'))
      .map(([one, other]) =>
        z.discriminatedUnion('type', [
          z.object({ ...one, type: z.literal('a') }),
          z.strictObject({ ...other, type: z.literal(['b', 'constructor']) }),
        ]),
      ),
  ),
}));
