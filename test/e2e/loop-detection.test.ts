// loop-detection in complete runs: the hint is in the prompt of the model while it repeats itself, and the run of a model that
// continues to repeat itself ends.
import { useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['guardrails', 'tools']);
const { bodies } = useModelProxy(stack);
const agent = applying(stack);
const sum = (expression: string) => ({ toolCalls: [{ name: 'calculator', args: { expression } }] });
const HINT = 'You have repeated the call of calculator';

async function runSteps(name: string, answers: readonly object[], options: object = {}) {
  bodies.length = 0;
  const lists = { output: [{ use: 'LoopDetectionModifier', options }], tools: ['calculator'], maxSteps: 10 };
  const run = await stack.client.start(await agent(name, lists), script(...answers));
  const result = await run.result();
  return { result, hinted: bodies.map((body) => JSON.stringify(body).includes(HINT)) };
}

test('a model that repeats a call reads a hint until it stops', async () => {
  const { result, hinted } = await runSteps('advised', [
    sum('1+1'),
    sum('1+1'),
    sum('1+1'),
    sum('2+2'),
    { text: 'Four.' },
  ]);
  expect(result).toMatchObject({ status: 'finished', text: 'Four.' });
  expect(hinted).toEqual([false, false, false, true, false]);
});

test('the run of a model that continues to repeat a call ends with a reason', async () => {
  const { result, hinted } = await runSteps(
    'stubborn',
    Array.from({ length: 9 }, () => sum('1+1')),
  );
  const reason = 'The model repeats a tool call: 4 repetitions.';
  expect(result).toMatchObject({ status: 'aborted', tripwire: { reason, metadata: { rules: ['repeated-call'] } } });
  expect(hinted).toEqual([false, false, false, true, true]);
});

test('the run of a model that repeats a cycle ends with the text of the agent', async () => {
  const cycle = [sum('1+1'), sum('2+2')];
  const { result } = await runSteps('alternating', [...cycle, ...cycle, ...cycle, ...cycle], {
    response: 'I am stuck.',
  });
  expect(result).toMatchObject({ status: 'finished', text: 'I am stuck.', finishReason: 'halted' });
});
