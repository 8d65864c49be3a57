import type { JsonSchema, JsonValue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { schemaProblems } from './json-schema.ts';

const schema = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1 },
    mode: { enum: ['a', 'b'] },
    list: { items: { type: 'string' } },
  },
  required: ['limit'],
  additionalProperties: false,
};

describe('a value under a JSON Schema', () => {
  test('that fits has no problem', () => {
    expect(schemaProblems(schema, { limit: 3, mode: 'a', list: ['x'] })).toEqual([]);
  });

  test.each([
    [{}, '', /limit/],
    [{ limit: '3' }, '.limit', /integer/],
    [{ limit: 0 }, '.limit', />= 1/],
    [{ limit: 1, mode: 'c' }, '.mode', /\["a","b"\]/],
    [{ limit: 1, extra: true }, '', /no option "extra"/],
    [{ limit: 1, list: ['x', 2] }, '.list[1]', /string/],
    ['text', '', /object/],
  ])('that does not (%j) says where and what', (value, path, message) => {
    expect(schemaProblems(schema, value)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('shows all its problems', () => {
    expect(schemaProblems(schema, { limit: 0, mode: 'c', extra: 1 })).toHaveLength(3);
  });

  test('is not changed by the check', () => {
    const value = { limit: 1 };
    schemaProblems({ ...schema, properties: { ...schema.properties, more: { default: 5 } } }, value);
    expect(value).toEqual({ limit: 1 });
  });
});

describe('a JSON Schema of others', () => {
  test('that is broken is a problem, not a throw', () => {
    expect(schemaProblems({ type: 'objekt' }, {})).toEqual([
      { path: '', message: expect.stringContaining('cannot be checked') },
    ]);
  });

  test('of a reference that nobody has is a problem, not a throw', () => {
    expect(schemaProblems({ $ref: 'https://example.com/none.json' }, {})).toHaveLength(1);
  });

  test('may have any $schema, and words of formats and vocabularies that are not known', () => {
    const other = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#', format: 'made-up', 'x-other': 1 };
    expect(schemaProblems(other, { limit: 1 })).toEqual([]);
  });

  test('may have the $id of another one', () => {
    const shared = { $id: 'https://example.com/args', type: 'object' };
    expect(schemaProblems({ ...shared, required: ['a'] }, { a: 1 })).toEqual([]);
    expect(schemaProblems({ ...shared, required: ['b'] }, { b: 1 })).toEqual([]);
    expect(schemaProblems({ ...shared, required: ['b'] }, { a: 1 })).toHaveLength(1);
  });

  test('is checked right however many others came in between', () => {
    const nth = (n: number) => ({ $id: 'https://example.com/nth', const: n });
    for (let n = 0; n < 1_200; n++) schemaProblems(nth(n), n);
    expect(schemaProblems(nth(0), 0)).toEqual([]);
    expect(schemaProblems(nth(0), 1)).toHaveLength(1);
  });
});

describe('a JSON Schema check that would take for ever is given up in bounded time:', () => {
  /** Nobody's clock is that slow: without the bound each of these takes minutes. */
  const BOUND_MS = 10_000;
  const problemsInTime = (schema: JsonSchema, value: JsonValue) => {
    const started = performance.now();
    const problems = schemaProblems(schema, value);
    expect(performance.now() - started).toBeLessThan(BOUND_MS);
    return problems.map(({ message }) => message);
  };
  const doubled = (levels: number): JsonSchema => {
    const definition = (at: number): JsonSchema =>
      at === 0 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] };
    const $defs = Object.fromEntries(Array.from({ length: levels + 1 }, (_, at) => [`d${at}`, definition(at)]));
    return { $defs, $ref: `#/$defs/d${levels}` };
  };

  test('a pattern that backtracks is matched in linear time', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(problemsInTime(schema, `${'a'.repeat(60_000)}b`)).toEqual(['must match pattern "^(a+)+$"']);
    expect(problemsInTime(schema, 'a'.repeat(60_000))).toEqual([]);
  });

  test('patterns of one schema and of several are told apart', () => {
    const both = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' }, c: { pattern: '^(?=c)c$' } } };
    expect(problemsInTime(both, { a: 'a', b: 'b', c: 'c' })).toEqual([]);
    expect(problemsInTime(both, { a: 'b', b: 'a', c: 'a' })).toHaveLength(3);
    expect(problemsInTime({ pattern: '^d$' }, 'd')).toEqual([]);
  });

  test('a pattern that backtracks and that only JavaScript has', () => {
    const schema = { type: 'string', pattern: '^(?!x)(a+)+$' };
    expect(problemsInTime(schema, 'aaa')).toEqual([]);
    expect(problemsInTime(schema, `${'a'.repeat(50)}b`)).toEqual(['cannot be checked: it takes longer than 500 ms']);
  });

  test('references that double at each level', () => {
    expect(problemsInTime(doubled(40), 17)).toEqual([expect.stringMatching(/^cannot be checked: it takes longer/)]);
    expect(problemsInTime(doubled(3), 'text')).toEqual([]);
  });

  test('a large array whose items must differ', () => {
    const items = Array.from({ length: 40_000 }, (_, at) => ({ at: [at] }));
    expect(problemsInTime({ type: 'array', uniqueItems: true }, items)).toEqual([
      'cannot be checked: it takes longer than 500 ms',
    ]);
  });

  test('and the next check works as before', () => {
    problemsInTime(doubled(41), 17);
    expect(problemsInTime({ type: 'integer' }, 1)).toEqual([]);
    expect(problemsInTime({ type: 'integer' }, 'one')).toEqual(['must be integer']);
  });

  test('problems are told up to a bound', () => {
    expect(
      problemsInTime(
        { items: { type: 'integer' } },
        Array.from({ length: 1_000 }, () => 'x'),
      ),
    ).toHaveLength(50);
  });
});
