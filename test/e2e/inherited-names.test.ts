// Members of Object.prototype are valid names of agents, entries, processors and keys of the context.
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { collect } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
type Counting = { state: Record<string, unknown>; onViolation(violation: { message: string; rule: string }): void };
/** Counts its calls in its state and reports the number. */
function count({ state, onViolation }: Counting): undefined {
  state['calls'] = Number(state['calls'] ?? 0) + 1;
  onViolation({ message: 'called', rule: `call-${String(state['calls'])}` });
}
/** Numbers its calls. */
const counting = defineMethods(
  'constructor',
  {
    processInput: count,
    processInputStep: count,
    processOutputStep: count,
    processOutputStream: (args) => (count(args), args.part),
  },
  { reads: ['input'] },
);
const judging = ['toString', 'valueOf'].map((id) =>
  defineMethods(id, { processInput: () => undefined }, { reads: ['input'] }),
);
useProcessors(stack, [counting, ...judging], 'isPrototypeOf');

const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.' };
const ask = async (agent: string, options: object = {}) => {
  const run = await stack.client.start(agent, script({ text: 'Hello.' }), options);
  await collect(run);
  return run.result();
};

test('an entry with an inherited name keeps its state across stages', async () => {
  const when = { context: 'constructor', equals: 'yes' };
  const input = ['constructor', { use: 'constructor', as: 'hasOwnProperty', when }];
  await stack.client.agents.apply({ ...base, name: 'constructor', input, output: ['constructor'] });
  const { status, violations } = await ask('constructor');
  expect(status).toBe('finished');
  expect(violations.length).toBeGreaterThan(4);
  const each = violations.map((_, at) => ({ processorId: 'constructor', rule: `call-${at + 1}`, count: 1 }));
  expect(violations).toEqual(each);
});

test("a caller's list replaces a group of members with inherited names", async () => {
  const group = {
    parallel: [
      { use: 'toString', replaceable: true },
      { use: 'valueOf', replaceable: true },
    ],
  };
  await stack.client.agents.apply({
    ...base,
    name: 'toString',
    input: [group],
    overrides: ['constructor', 'valueOf'],
  });
  expect(await ask('toString')).toMatchObject({ status: 'finished' });
  const inputProcessors = ['constructor', 'valueOf'];
  expect(await ask('toString', { inputProcessors })).toMatchObject({ status: 'finished' });
});
