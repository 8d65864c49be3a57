// Rejections have a code, the problem, its path and a remedy, for all problems at once.
import { connect } from '@millrace/client';
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { passingProcessor, useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const stack = useSharedStack();
const plain = (id: string) => ({
  ...passingProcessor(id),
  options: z.strictObject({ level: z.enum(['low', 'high']).default('low') }),
});
useProcessors(stack, [plain('one'), plain('two'), plain('three')]);

async function listIssues(definition: JsonObject) {
  const error: unknown = await stack.client.agents
    .apply({ name: 'refused', model: 'openai/gpt-5-mini', ...definition })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'agent-invalid' });
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues) ? error.issues : [];
}

describe.concurrent('rejected agents', () => {
  test.each<[string, JsonObject, object]>([
    ['an unknown processor', { input: ['one', 'nosuch'] }, { code: 'processor-unknown', path: 'input[1]' }],
    [
      'an unknown option',
      { input: [{ use: 'one', options: { volume: 11 } }] },
      { code: 'options-invalid', path: 'input[0].options.volume' },
    ],
    [
      'a wrong option',
      { input: [{ use: 'one', options: { level: 'loud' } }] },
      { code: 'options-invalid', path: 'input[0].options.level' },
    ],
    ['a keyword guard without keywords', { input: ['keyword'] }, { code: 'options-invalid', path: 'input[0].options' }],
    ['a filter without rules', { input: ['regex-filter'] }, { code: 'options-invalid', path: 'input[0].options' }],
    ['moderation without a model', { input: ['moderation'] }, { code: 'options-invalid', path: 'input[0].options' }],
    [
      'a translation without a model',
      { input: [{ use: 'language', options: { strategy: 'translate' } }] },
      { code: 'options-invalid', path: 'input[0].options' },
    ],
    [
      'a pattern with look-around',
      { input: [{ use: 'regex-filter', options: { rules: [{ pattern: '(?=x)y' }] } }] },
      { code: 'options-invalid', path: 'input[0].options.rules[0].pattern' },
    ],
    [
      'a pattern with an anchor, which a stream cannot match',
      { input: [{ use: 'keyword', options: { patterns: ['^secret'] } }] },
      { code: 'options-invalid', path: 'input[0].options.patterns[0]' },
    ],
    [
      'a tool pattern that matches nothing',
      { input: [{ use: 'approval-gate', options: { tools: ['*feedback'] } }] },
      { code: 'options-invalid', path: 'input[0].options.tools[0]' },
    ],
    ['a duplicate entry', { input: ['one', 'one'] }, { code: 'entry-duplicate', path: 'input[1]' }],
    [
      'a list without a stage of the processor',
      { output: ['one'] },
      { code: 'entry-without-stage', path: 'output[0]' },
    ],
    [
      'an unknown target',
      { input: [{ use: 'one', after: 'nosuch' }] },
      { code: 'entry-target-unknown', path: 'input[0].after' },
    ],
    [
      'a cycle',
      {
        input: [
          { use: 'one', after: 'two' },
          { use: 'two', after: 'one' },
        ],
      },
      { code: 'entry-cycle' },
    ],
    ['an unknown tool', { tools: ['hammer'] }, { code: 'tool-unknown', path: 'tools[0]' }],
    ['an unknown field', { colour: 'red' }, { code: 'agent-invalid', path: 'colour' }],
    [
      'an observer that is required',
      { input: [{ use: 'one', observe: true, required: true }] },
      { code: 'agent-invalid', path: 'input[0].observe' },
    ],
    ['an empty parallel group', { input: [{ parallel: [] }] }, { code: 'agent-invalid', path: 'input[0].parallel' }],
    [
      'an overlap with a value other than the model',
      { input: [{ parallel: ['one'], overlap: 'tools' }] },
      { code: 'agent-invalid', path: 'input[0].overlap' },
    ],
    ['a model of no known provider', { model: 'other/model' }, { code: 'agent-invalid', path: 'model' }],
  ])('an agent is rejected for %s, by name and path', async (_what, definition, issue) => {
    expect(await listIssues(definition)).toEqual([expect.objectContaining(issue)]);
  });

  test('an agent with a function instead of a list is rejected by name, so that no guard disappears', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller in JavaScript might pass
    const definition = { name: 'refused', model: 'openai/gpt-5-mini', input: () => ['one'] } as unknown as JsonObject;
    const error = { code: 'not-json', path: 'definition.input' };
    await expect(stack.client.agents.apply(definition)).rejects.toMatchObject(error);
    await expect(stack.client.agents.plan({ definition })).rejects.toMatchObject({ code: 'not-json' });
  });

  test('an agent is rejected with all its problems at once', async () => {
    const issues = await listIssues({
      colour: 'red',
      tools: ['hammer'],
      input: ['nosuch', { use: 'one', options: { x: 1 } }],
      output: ['two'],
    });
    expect(issues.map((issue: { code: string }) => issue.code).toSorted()).toEqual(
      ['agent-invalid', 'entry-without-stage', 'options-invalid', 'processor-unknown', 'tool-unknown'].toSorted(),
    );
  });
});

describe('the order of entries', () => {
  test('entries run in the declared order, with after and before at the named entries', async () => {
    const input: JsonValue = [
      'one',
      { use: 'two', as: 'late' },
      { use: 'three', before: 'one' },
      { use: 'one', as: 'again', after: 'three' },
    ];
    const { plan } = await stack.client.agents.plan({
      definition: { name: 'ordered', model: 'openai/gpt-5-mini', input },
    });
    expect(plan.order.processInput).toEqual(['three', 'again', 'one', 'late']);
  });
});

/** Values that are not lists. */
const given = new Map<string, unknown>([
  ['maxProcessorRetries', 1],
  ['prepareStep', () => undefined],
]);

describe('rejected runs', () => {
  test.each([() => ['one'], 'one', { one: true }])(
    'a run with an override list that is no array is rejected by name: %s',
    async (list) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller in JavaScript might pass
      const options = { inputProcessors: list } as unknown as object;
      await expect(stack.client.start('a-present', 'hello', options)).rejects.toMatchObject({
        code: 'run-refused',
        path: 'inputProcessors',
      });
    },
  );

  test('a run of an unknown agent is rejected with the names of the existing ones', async () => {
    await stack.client.agents.apply({ name: 'a-present', model: 'openai/gpt-5-mini' });
    await expect(stack.client.start('absent', 'hello')).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('a-present'),
    });
  });

  test('a run with input over the limit is rejected before anything is stored', async () => {
    await expect(stack.client.start('a-present', 'x'.repeat(9 * 1024 * 1024))).rejects.toMatchObject({
      code: 'message-too-large',
    });
  });

  test.each(['inputProcessors', 'outputProcessors', 'errorProcessors', 'maxProcessorRetries', 'prepareStep'])(
    'The override %s of a caller is rejected by name if the agent has no overrides',
    async (name) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller in JavaScript might pass
      const options = { [name]: given.get(name) ?? [] } as object;
      const code = name === 'prepareStep' ? 'prepare-step-cannot-travel' : 'run-refused';
      const caller = await connect({ url: stack.url, subject: 'ada' });
      await expect(caller.start('a-present', 'hello', options)).rejects.toMatchObject({ code, path: name });
      await caller.close();
    },
  );
});
