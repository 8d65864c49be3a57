import { expect, test } from 'vitest';
import { delta } from '../testing/chunks.ts';
import { createTestRun } from '../testing/test-run.ts';
import { createCallMeter } from './call-meter.ts';

const call = {
  model: 'openai/test',
  prompt: [{ role: 'user' as const, content: [{ type: 'text', text: 'hello' }] }],
  tools: [],
};
const made = () => {
  const { run } = createTestRun({ agent: { prices: { 'openai/test': { input: 1e6, output: 1e6 } } } });
  return { meter: createCallMeter(run, call), usage: () => run.state().usage };
};
const failure = { error: { name: 'Error', message: 'no', isRetryable: false } };

test('what its provider has said counts, though the call was given up by then', () => {
  const { meter, usage } = made();
  meter.said([delta('abcd')]);
  meter.told({ inputTokens: 3, outputTokens: 2, totalTokens: 5 });
  expect(meter.taken()).toEqual({ inputTokens: 3, outputTokens: 2, totalTokens: 5, cost: 5 });
  expect(usage()).toEqual(meter.taken());
});

test('a provider that ends without a count of tokens leaves the estimate', () => {
  const { meter } = made();
  meter.said([delta('abcdefgh')]);
  meter.told({});
  expect(meter.taken()).toMatchObject({ outputTokens: 2, estimated: true });
});

test('a call counts once, however often it is over', () => {
  const { meter, usage } = made();
  const end = { finishReason: 'stop', usage: { inputTokens: 3, outputTokens: 2 }, warnings: [] };
  expect(meter.ended(end).usage).toMatchObject({ cost: 5 });
  expect(meter.taken()).toMatchObject({ cost: 5 });
  meter.ended(end);
  expect(usage()).toEqual({ inputTokens: 3, outputTokens: 2, cost: 5 });
});

test('a call that fails costs nothing before a word, and is paid after one, or where it fell silent', () => {
  const refused = made();
  refused.meter.failed(failure);
  expect([refused.meter.taken(), refused.usage()]).toEqual([undefined, {}]);
  const broken = made();
  broken.meter.said([delta('abcd')]);
  broken.meter.failed(failure);
  expect(broken.meter.taken()).toMatchObject({ outputTokens: 1, estimated: true });
  const silent = made();
  silent.meter.failed({ ...failure, code: 'model-idle' });
  expect(silent.meter.taken()).toMatchObject({ outputTokens: 0, estimated: true });
});
