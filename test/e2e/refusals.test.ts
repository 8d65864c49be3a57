// What is refused, and how: coded, with what, where and what to do instead, all problems at once.
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { passingProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const nats = useNats();
const plain = (id: string) => ({
  ...passingProcessor(id),
  options: z.strictObject({ level: z.enum(['low', 'high']).default('low') }),
});
useProcessors(nats, [plain('one'), plain('two'), plain('three')]);
const stack = useStack(nats, ['orchestrator']);

async function issuesOf(definition: JsonObject) {
  const error: unknown = await stack.client.agents
    .apply({ name: 'refused', model: 'openai/gpt-5-mini', ...definition })
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'agent-invalid' });
  return error instanceof Error && 'issues' in error && Array.isArray(error.issues) ? error.issues : [];
}

describe('an agent is refused', () => {
  test.each<[string, JsonObject, object]>([
    ['an unknown processor', { input: ['one', 'nosuch'] }, { code: 'processor-unknown', path: 'input[1]' }],
    [
      'an unknown option',
      { input: [{ use: 'one', options: { volume: 11 } }] },
      { code: 'options-invalid', path: 'input[0].options' },
    ],
    [
      'a wrong option',
      { input: [{ use: 'one', options: { level: 'loud' } }] },
      { code: 'options-invalid', path: 'input[0].options.level' },
    ],
    ['a duplicate entry', { input: ['one', 'one'] }, { code: 'entry-duplicate', path: 'input[1]' }],
    [
      'a list that the processor has no stage of',
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
    ['a parallel group of nobody', { input: [{ parallel: [] }] }, { code: 'agent-invalid', path: 'input[0].parallel' }],
    [
      'an overlap of something else than the model',
      { input: [{ parallel: ['one'], overlap: 'tools' }] },
      { code: 'agent-invalid', path: 'input[0].overlap' },
    ],
    ['a model of no known provider', { model: 'other/model' }, { code: 'agent-invalid', path: 'model' }],
  ])('for %s, by name and place', async (_what, definition, issue) => {
    expect(await issuesOf(definition)).toEqual([expect.objectContaining(issue)]);
  });

  test('with all its problems at once', async () => {
    const issues = await issuesOf({
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

describe('order', () => {
  test('is the declared one, with after and before at the place that they name', async () => {
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

/** What is no list. */
const given = new Map<string, unknown>([
  ['maxProcessorRetries', 1],
  ['prepareStep', () => undefined],
]);

describe('a run is refused', () => {
  test('for an unknown agent, naming the ones that are there', async () => {
    await stack.client.agents.apply({ name: 'present', model: 'openai/gpt-5-mini' });
    await expect(stack.client.start('absent', 'hello')).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('present'),
    });
  });

  test('for input over the limit, before anything is stored', async () => {
    await expect(stack.client.start('present', 'x'.repeat(9 * 1024 * 1024))).rejects.toMatchObject({
      code: 'message-too-large',
    });
  });

  test.each(['inputProcessors', 'outputProcessors', 'errorProcessors', 'maxProcessorRetries', 'prepareStep'])(
    'for the override %s of an agent that allows none, by name',
    async (name) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a caller in JavaScript might pass
      const options = { [name]: given.get(name) ?? [] } as object;
      const code = name === 'prepareStep' ? 'prepare-step-cannot-travel' : 'run-refused';
      await expect(stack.client.start('present', 'hello', options)).rejects.toMatchObject({ code, path: name });
    },
  );
});
