// Names that every object has from its prototype are names like others: of agents, entries, processors and keys of the context.
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { collect } from './collect.ts';
import { script } from './script.ts';

const nats = useNats();
type Counting = { state: Record<string, unknown>; onViolation(violation: { message: string; rule: string }): void };
/** Numbers its calls in its state, and says the number. */
function count({ state, onViolation }: Counting): undefined {
  state['calls'] = Number(state['calls'] ?? 0) + 1;
  onViolation({ message: 'called', rule: `call-${String(state['calls'])}` });
}
const counting = defineProcessor({
  id: 'constructor',
  description: 'numbers its calls',
  stages: ['processInput', 'processInputStep', 'processOutputStream', 'processOutputStep'],
  reads: ['input'],
  options: z.strictObject({}),
  create: () => ({
    id: 'constructor',
    processInput: count,
    processInputStep: count,
    processOutputStep: count,
    processOutputStream: (args) => (count(args), args.part),
  }),
});
const judging = ['toString', 'valueOf'].map((id) =>
  defineProcessor({
    id,
    description: 'judges',
    stages: ['processInput'],
    reads: ['input'],
    options: z.strictObject({}),
    create: () => ({ id, processInput: () => undefined }),
  }),
);
useProcessors(nats, [counting, ...judging], 'isPrototypeOf');
const stack = useStack(nats, ['orchestrator']);

const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.' };
const ask = async (agent: string, options: object = {}) => {
  const run = await stack.client.start(agent, script({ text: 'Hello.' }), options);
  await collect(run);
  return run.result();
};

test('an entry of such a name keeps its state from stage to stage', async () => {
  const when = { context: 'constructor', equals: 'yes' };
  const input = ['constructor', { use: 'constructor', as: 'hasOwnProperty', when }];
  await stack.client.agents.apply({ ...base, name: 'constructor', input, output: ['constructor'] });
  const { status, violations } = await ask('constructor');
  expect(status).toBe('finished');
  expect(violations.length).toBeGreaterThan(4);
  const each = violations.map((_, at) => ({ processorId: 'constructor', rule: `call-${at + 1}`, count: 1 }));
  expect(violations).toEqual(each);
});

test('a caller’s list stands in place of a group whose members have such names', async () => {
  const group = { parallel: ['toString', { use: 'valueOf' }] };
  await stack.client.agents.apply({ ...base, name: 'toString', input: [group], overrides: ['constructor', 'valueOf'] });
  expect(await ask('toString')).toMatchObject({ status: 'finished' });
  const inputProcessors = ['constructor', 'valueOf'];
  expect(await ask('toString', { inputProcessors })).toMatchObject({ status: 'finished' });
});
