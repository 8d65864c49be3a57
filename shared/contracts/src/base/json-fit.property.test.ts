// For any value: a value that fits is unchanged by zod, and a value that does not fit is rejected by zod.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { chunkBatchSchema, liveBatchSchema } from '../chunk/chunk-batch.ts';
import { sessionInputSchema, sessionOpenSchema, sessionOpenedSchema, sessionOutputSchema } from '../session/session.ts';
import { stageCallSchema, stageReplySchema } from '../stage/stage-call.ts';
import { agreesWithZod } from '../testing/agrees-with-zod.ts';
import { schemas } from '../testing/random-schemas.ts';
import { generateValues } from '../testing/values-of-schema.ts';

test.each<[string, z.ZodType]>([
  ['a stage call', stageCallSchema],
  ['a stage reply', stageReplySchema],
  ['an open request', sessionOpenSchema],
  ['its answer', sessionOpenedSchema],
  ['the input of a session', sessionInputSchema],
  ['the output of a session', sessionOutputSchema],
  ['chunks of the log', chunkBatchSchema],
  ['live chunks', liveBatchSchema],
])('checkFit agrees with zod on %s', (_name, schema) => {
  fc.assert(
    fc.property(generateValues(schema), (value) => {
      expect(agreesWithZod(schema, value)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('checkFit agrees with zod on values of random schemas', () => {
  const cases = schemas.chain((schema) =>
    fc.record({
      schema: fc.constant(schema),
      values: fc.array(generateValues(schema), { minLength: 3, maxLength: 6 }),
    }),
  );
  fc.assert(
    fc.property(cases, ({ schema, values }) => {
      expect(values.filter((value) => !agreesWithZod(schema, value))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test.each<[string, z.ZodType, unknown]>([
  ['a member that may be missing, with a default', z.object({ a: z.string().default('b').optional() }), {}],
  ['a member that may be missing or null', z.object({ a: z.string().optional().nullable() }), {}],
  ['a text that is too short in code points', z.string().min(2), '😀'],
  ['a text that is not too long in code points', z.string().max(1), '😀'],
  ['a value that fits both options of a oneOf', z.xor([z.string(), z.string()]), 'a'],
  ['a rule of its own that gives something', z.custom((value) => value), 'a'],
])('checkFit agrees with zod on random values of %s', (_what, schema, value) => {
  expect(agreesWithZod(schema, value)).toBe(true);
});
