// Schemas and values that keep a check busy, and more schemas than are cached: slower than a unit test may be.
import type { JsonSchema, JsonValue } from '@millrace/contracts';
import { describe, expect, test, vi } from 'vitest';
import { findSchemaProblems } from './json-schema.ts';

test('a foreign JSON Schema is checked correctly after any number of others', () => {
  const nth = (n: number) => ({ $id: 'https://example.com/nth', const: n });
  for (let n = 0; n < 1_200; n++) findSchemaProblems(nth(n), n);
  expect(findSchemaProblems(nth(0), 0)).toEqual([]);
  expect(findSchemaProblems(nth(0), 1)).toHaveLength(1);
});

describe('a JSON Schema check without end is interrupted in bounded time:', () => {
  /** Without the bound each of these takes minutes on any machine. */
  const BOUND_MS = 10_000;
  const problemsInTime = (schema: JsonSchema, value: JsonValue) => {
    const started = performance.now();
    const problems = findSchemaProblems(schema, value);
    expect(performance.now() - started).toBeLessThan(BOUND_MS);
    return problems.map(({ message }) => message);
  };
  const doubleSchema = (levels: number): JsonSchema => {
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

  test('suggestions for unknown members among thousands of names are interrupted, too', () => {
    const name = (at: number) => `${'member'.repeat(10)}${at}`;
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [name(at), {}]));
    const value = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${name(at)}`, 1]));
    expect(problemsInTime({ properties, additionalProperties: false }, value)).toEqual([
      expect.stringContaining('cannot be checked: it takes longer than'),
    ]);
  });

  test('patterns of one schema and of several are distinguished', () => {
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
    expect(problemsInTime(doubleSchema(40), 17)).toEqual([
      expect.stringMatching(/^cannot be checked: it takes longer/),
    ]);
    expect(problemsInTime(doubleSchema(3), 'text')).toEqual([]);
  });

  test('a schema that is slow to read is not retried at once, but is not refused for ever either', () => {
    const properties = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`p${at}`, { maxLength: at }]));
    const endless: JsonSchema = { properties, required: Object.keys(properties) };
    /** Wall time, which bounds a reading, and processor time, which other processes of a busy machine do not add to, ms. */
    const readFor = () => {
      const started = performance.now();
      const before = process.threadCpuUsage();
      expect(problemsInTime(endless, 17)).toEqual(['cannot be checked: it takes longer than 500 ms to read']);
      const { user, system } = process.threadCpuUsage(before);
      return { wallMs: performance.now() - started, cpuMs: (user + system) / 1_000 };
    };
    const now = performance.now.bind(performance);
    let skippedMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
    try {
      expect(readFor().wallMs).toBeGreaterThan(450);
      expect(readFor().cpuMs).toBeLessThan(450);
      skippedMs = 60_000;
      expect(readFor().wallMs).toBeGreaterThan(450);
    } finally {
      clock.mockRestore();
    }
  });

  test('a large array with unique items', () => {
    const items = Array.from({ length: 40_000 }, (_, at) => ({ at: [at] }));
    expect(problemsInTime({ type: 'array', uniqueItems: true }, items)).toEqual([
      'cannot be checked: it takes longer than 500 ms',
    ]);
  });

  test('and the next check works as before', () => {
    problemsInTime(doubleSchema(41), 17);
    expect(problemsInTime({ type: 'integer' }, 1)).toEqual([]);
    expect(problemsInTime({ type: 'integer' }, 'one')).toEqual(['must be integer']);
  });

  test('the number of reported problems is bounded', () => {
    expect(
      problemsInTime(
        { items: { type: 'integer' } },
        Array.from({ length: 1_000 }, () => 'x'),
      ),
    ).toHaveLength(50);
  });

  test('the alternatives of a long list are read up to a bound', () => {
    const items = { anyOf: [{ required: ['words'] }, { required: ['model'] }] };
    const list = Array.from({ length: 20_000 }, () => ({}));
    const problems = problemsInTime({ items }, list);
    expect(problems).toHaveLength(50);
    expect(problems[0]).toBe('must have "words" or "model"');
  });
});
