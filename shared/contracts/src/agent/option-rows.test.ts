import { expect, test } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '../api/json-schemas.ts';
import { listOptionRows } from './option-rows.ts';

const listRows = (shape: z.ZodRawShape) => listOptionRows(toJsonSchema(z.strictObject(shape)));

test("A row has the option's type, default and meaning", () => {
  expect(
    listRows({
      strategy: z.enum(['block', 'warn']).default('block').describe('the reaction'),
      limit: z.int().min(1).describe('characters'),
    }),
  ).toEqual([
    { name: 'strategy', type: 'block | warn', required: false, fallback: '"block"', meaning: 'the reaction' },
    { name: 'limit', type: 'integer, at least 1', required: true, meaning: 'characters' },
  ]);
});

test('A row formats ranges, lists, unions, objects and long lists of values', () => {
  const many = z.enum(Array.from({ length: 40 }, (_, at) => `v${at}`));
  const rows = listRows({
    share: z.number().min(0).max(1),
    names: z.array(z.string()),
    kinds: z.array(z.enum(['a', 'b'])),
    either: z.union([z.literal('all'), z.array(z.string())]),
    range: z.strictObject({ before: z.int(), after: z.int() }),
    any: z.unknown(),
    many,
  });
  expect(rows.map(({ type }) => type)).toEqual([
    'number, 0 to 1',
    'list of string',
    'list of (a | b)',
    '"all" or list of string',
    'object {before: integer; after: integer}',
    'any JSON',
    'one of 40 values such as v0, v1, v2',
  ]);
});

test('A schema without options has no rows', () => expect(listOptionRows({ type: 'object' })).toEqual([]));
