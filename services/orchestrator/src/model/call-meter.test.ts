import { expect, test } from 'vitest';
import { delta } from '../testing/chunks.ts';
import { createTestRun } from '../testing/test-run.ts';
import { createCallMeter } from './call-meter.ts';

const call = {
  model: 'openai/test',
  prompt: [{ role: 'user' as const, content: [{ type: 'text', text: 'hello' }] }],
  tools: [],
};
const buildMade = () => {
  const { run } = createTestRun({ agent: { prices: { 'openai/test': { input: 1e6, output: 1e6 } } } });
  return { meter: createCallMeter(run, call), usage: () => run.getState().usage };
};
const failure = { error: { name: 'Error', message: 'no', isRetryable: false } };

test('the usage that a provider reports counts, even if the call was abandoned by then', () => {
  const { meter, usage } = buildMade();
  meter.countChunks([delta('abcd')]);
  meter.recordUsage({ inputTokens: 3, outputTokens: 2, totalTokens: 5 });
  expect(meter.takeUsage()).toEqual({ inputTokens: 3, outputTokens: 2, totalTokens: 5, cost: 5 });
  expect(usage()).toEqual(meter.takeUsage());
});

test('a provider that ends without a count of tokens leaves the estimate', () => {
  const { meter } = buildMade();
  meter.countChunks([delta('abcdefgh')]);
  meter.recordUsage({});
  expect(meter.takeUsage()).toMatchObject({ outputTokens: 2, estimated: true });
});

test('a call counts once, however often it is over', () => {
  const { meter, usage } = buildMade();
  const end = { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 }, warnings: [] };
  expect(meter.recordEnd(end).usage).toMatchObject({ cost: 5 });
  expect(meter.takeUsage()).toMatchObject({ cost: 5 });
  meter.recordEnd(end);
  expect(usage()).toEqual({ inputTokens: 3, outputTokens: 2, cost: 5 });
});

test('a failed call costs nothing before its first text, and is counted after it or after a silence', () => {
  const refused = buildMade();
  refused.meter.recordFailure(failure);
  expect([refused.meter.takeUsage(), refused.usage()]).toEqual([undefined, {}]);
  const broken = buildMade();
  broken.meter.countChunks([delta('abcd')]);
  broken.meter.recordFailure(failure);
  expect(broken.meter.takeUsage()).toMatchObject({ outputTokens: 1, estimated: true });
  const silent = buildMade();
  silent.meter.recordFailure({ ...failure, code: 'model-idle' });
  expect(silent.meter.takeUsage()).toMatchObject({ outputTokens: 0, estimated: true });
});
