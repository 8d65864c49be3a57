import { describe, expect, test } from 'vitest';
import { agentSchema } from './agent.ts';
import { listIssues } from '../base/schema-issues.ts';
import { runRequestSchema } from '../run/run.ts';
import { buildTextMessage } from '../message/message.ts';

const least = { name: 'demo', model: 'openai/gpt-5-mini' };
const problems = (agent: object): string[] => {
  const parsed = agentSchema.safeParse({ ...least, ...agent });
  return parsed.success ? [] : listIssues(parsed.error).map(({ path, message }) => `${path}: ${message}`);
};

test('An agent needs only a name and a model; the other fields have defaults', () => {
  expect(agentSchema.parse(least)).toEqual({
    ...least,
    callerRoles: ['user', 'assistant', 'tool'],
    instructions: [],
    tools: [],
    input: [],
    output: [],
    error: [],
    maxSteps: 5,
  });
});

test('An entry is the name of a processor or an object with `use`', () => {
  const { input } = agentSchema.parse({
    ...least,
    input: ['pii', { use: 'keyword', as: 'words', options: { a: 1 }, timeoutMs: 5 }],
  });
  expect(input).toEqual([{ use: 'pii' }, { use: 'keyword', as: 'words', options: { a: 1 }, timeoutMs: 5 }]);
});

describe('rejected definitions', () => {
  test.each([
    ['an unknown field', { temperature: 1 }, /temperature/],
    ['a name that is no token', { name: 'my agent' }, /^name: must be 1 to 64/],
    ['a model of another form', { model: 'gpt-5' }, /^model: must be "<provider>/],
    ['an entry that uses nothing', { input: [{ as: 'x' }] }, /^input\[0\]\.use: is missing: must be a string$/],
    ['no steps', { maxSteps: 0 }, /^maxSteps/],
    ['a tool that is no token', { tools: ['a b'] }, /^tools\[0\]/],
  ])('%s', (_name, agent, problem) => expect(problems(agent)).toEqual([expect.stringMatching(problem)]));

  test('parseAgent reports all problems at once', () => {
    expect(problems({ name: '', model: 'x', maxSteps: -1 })).toHaveLength(3);
  });
});

describe('a run request', () => {
  const request = { runId: 'r1', tenant: 'acme', agent: 'demo', messages: [buildTextMessage('m', 'user', 'hi')] };

  test('A run request has a deadline of ten minutes by default', () => {
    expect(runRequestSchema.parse(request)).toMatchObject({ deadlineMs: 600_000, requestContext: {} });
  });

  test.each([
    ['an unknown member', { prepareStep: 1 }, 'prepareStep'],
    ['a policy for an entry of the caller', { inputProcessors: [{ use: 'pii', onFailure: 'skip' }] }, 'onFailure'],
    ['a place for an entry of the caller', { inputProcessors: [{ use: 'pii', after: 'memory' }] }, 'after'],
    ['more entries than a caller may list', { outputProcessors: Array(33).fill('pii') }, 'outputProcessors'],
  ])('A run request with %s is rejected and names the field', (_what, more, name) => {
    expect(runRequestSchema.safeParse({ ...request, ...more }).error?.message).toContain(name);
  });

  test('A run request without a message, or with a thread id that is not a valid key, is rejected', () => {
    expect(runRequestSchema.safeParse({ ...request, messages: [] }).success).toBe(false);
    expect(runRequestSchema.safeParse({ ...request, threadId: 'a b' }).success).toBe(false);
  });
});
