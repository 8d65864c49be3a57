import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agentSchema } from '../agent/agent.ts';
import { chunkSchema } from '../chunk/chunk.ts';
import { messageSchema } from '../message/message.ts';
import { MAX_ISSUES, formatPath, listIssues } from './schema-issues.ts';
import { verdictSchema } from '../stage/verdict.ts';

const problems = (schema: z.ZodType, value: unknown): string[] => {
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : listIssues(parsed.error).map(({ path, message }) => `${path ?? ''}: ${message}`);
};
const agent = (more: object) => problems(agentSchema, { name: 'a', model: 'openai/x', ...more });
const message = (part: object) => ({
  id: 'm',
  role: 'user',
  createdAt: '2026-01-01T00:00:00Z',
  content: { format: 2, parts: [part] },
});

test('Every problem is an issue with its code and a JSON path; an unknown field is an issue of its own', () => {
  const schema = z.object({ input: z.array(z.strictObject({ timeoutMs: z.number() })), name: z.string() });
  const parsed = schema.safeParse({ input: [{ timeoutMs: 1 }, { timeoutMs: 'x', extra: 1 }] });
  expect(listIssues(parsed.error ?? new z.ZodError([]), 'agent-invalid')).toEqual([
    { code: 'agent-invalid', path: 'input[1].timeoutMs', message: 'must be a number, not a string' },
    { code: 'agent-invalid', path: 'input[1].extra', message: 'is not a known field' },
    { code: 'agent-invalid', path: 'name', message: 'is missing: must be a string' },
  ]);
});

test('a path is written as in JavaScript', () => {
  expect(formatPath(['a', 0, 'b', 1, 2])).toBe('a[0].b[1][2]');
  expect(formatPath([])).toBe('');
});

describe('expectations in plain words', () => {
  test.each([
    [z.int().min(3), 1, 'must be at least 3'],
    [z.number().lt(5), 5, 'must be less than 5'],
    [z.int(), 1.5, 'must be a whole number'],
    [z.string().min(2), 'x', 'must have at least 2 characters'],
    [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 item'],
    [z.url(), 'x', 'must be a URL'],
    [z.enum(['x', 'y', 'z']), 'a', 'must be "x", "y" or "z"'],
    [z.boolean(), 'yes', 'must be true or false, not a string'],
    [z.string().regex(/^(?!a)/), 'a', 'must be of another form'],
    [z.string().regex(/^b/, 'must begin with b'), 'a', 'must begin with b'],
    [z.record(z.string().min(3), z.number()), { ab: 1 }, 'must have at least 3 characters'],
  ])('%#', (schema, value, problem) => {
    expect(problems(z.object({ it: schema }), { it: value })).toEqual([
      expect.stringMatching(new RegExp(`^it(\\.ab)?: ${problem.replaceAll(/[()[\]]/g, '\\$&')}$`)),
    ]);
  });
});

describe('the closest form of a union', () => {
  test('An invalid part or chunk of a known type reports its field instead of its type', () => {
    expect(problems(messageSchema, message({ type: 'text', text: 5 }))).toEqual([
      'content.parts[0].text: must be a string, not a number',
    ]);
    const chunk = { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '1', text: 5 } };
    expect(problems(chunkSchema, chunk)).toEqual(['payload.text: must be a string, not a number']);
  });

  test('An invalid agent entry reports its field', () => {
    expect(agent({ input: [{ use: 'pii', timoutMs: 1 }, {}] })).toEqual([
      'input[0].timoutMs: is not a known field',
      'input[1].use: is missing: must be a string',
    ]);
  });

  test('A value of another kind reports the possible kinds', () => {
    expect(agent({ input: [5], memory: { semanticRecall: 5 } })).toEqual([
      'input[0]: must be the name of a processor, or an object with `use`',
      'memory.semanticRecall: must be true or false or an object, not a number',
    ]);
  });

  test('A value with an unknown tag reports the known tags', () => {
    expect(problems(verdictSchema, { type: 'explode' })[0]).toMatch(
      /^type: must be "continue", "abort", .* or "failure"$/,
    );
  });
});

test('listIssues reports fifty of ten thousand problems and the number of the rest', () => {
  const found = problems(z.array(z.string()), Array<number>(10_000).fill(1));
  expect(found).toHaveLength(MAX_ISSUES + 1);
  expect(found.at(-1)).toBe(': and 9950 more problems');
});
