import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildEmptiestValue, buildStructuredValue } from './structured-value.ts';

const value = (schema: object, known: Record<string, string> = {}) =>
  buildStructuredValue({ ...schema }, new Map(Object.entries(known)));

const nullableString = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const memory = {
  type: 'object',
  properties: {
    Name: nullableString,
    city: { type: ['string', 'null'] },
    likes: { type: 'array', items: { type: 'string' } },
    employer: { type: 'string' },
  },
  required: ['Name', 'city', 'likes'],
  additionalProperties: false,
};

describe('a value for a schema', () => {
  test('the value contains the known fields, in any case of their names and in lists', () => {
    expect(value(memory, { name: 'Ada', likes: 'tea' })).toEqual({ Name: 'Ada', city: null, likes: ['tea'] });
  });

  test('the value omits unknown optional members, and has null or nothing for unknown required members', () => {
    expect(value(memory)).toEqual({ Name: null, city: null, likes: [] });
    expect(value({ ...memory, required: [] }, { city: 'Oslo' })).toEqual({ city: 'Oslo' });
  });

  const awkward = z.object({
    kind: z.enum(['a', 'b']),
    fixed: z.literal(7),
    score: z.number().min(0.5).max(1),
    count: z.int().min(3),
    tags: z.array(z.string().min(2)).min(2),
    nested: z.object({ deep: z.object({ flag: z.boolean(), maybe: z.string().nullable() }) }),
    either: z.union([z.object({ left: z.string() }), z.object({ right: z.number() })]),
    map: z.record(z.string(), z.string()),
    tree: z.object({
      get child() {
        return awkwardTree.nullable();
      },
    }),
  });
  const awkwardTree: z.ZodType = z.object({
    get child() {
      return awkwardTree.nullable();
    },
  });

  test('the value fits limits, unions and circular references', () => {
    expect(awkward.safeParse(value(z.toJSONSchema(awkward))).error).toBeUndefined();
  });

  test('buildStructuredValue handles inherited names and references without a target', () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string' }, toString: { $ref: '#/nowhere' }, self: { $ref: '#' } },
      required: ['constructor', 'toString'],
    };
    expect(buildEmptiestValue(schema)).toEqual({ constructor: '', toString: null });
  });

  test('a value that does not fit is rejected with its path', () => {
    const schema = {
      type: 'object',
      properties: { code: { type: 'string', pattern: '^X{7}-Q$' } },
      required: ['code'],
    };
    expect(() => value(schema)).toThrow(/no value for this schema: code/);
  });
});
