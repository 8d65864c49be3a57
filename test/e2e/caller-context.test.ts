// Processors that give the model values of the request context: the model reads them, guards judge them, and a consequential tool waits
// for an approval while they are in the run.
import { useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['guardrails', 'tools']);
const { bodies } = useModelProxy(stack);
const agent = applying(stack);
const done = script({ text: 'Done.' });
const feedback = script({ toolCalls: [{ name: 'send-feedback', args: { text: 'Good.' } }] }, { text: 'Sent.' });

async function ask(name: string, lists: object, requestContext: Record<string, string>, text = done) {
  bodies.length = 0;
  const run = await stack.client.start(await agent(name, lists), text, { requestContext });
  const result = await run.result();
  return { result, prompt: JSON.stringify(bodies[0] ?? null) };
}

describe('environment-context', () => {
  const input = [{ use: 'EnvironmentContextModifier', options: { timezone: 'Asia/Tokyo', context: ['city'] } }];
  test('the model reads the time and the allowed values', async () => {
    const { result, prompt } = await ask('informed', { input }, { city: 'Rome', secret: 'hidden' });
    expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(prompt).toMatch(/Current time: .{20,40} GMT\+9 \(Asia\/Tokyo\)/);
    expect(prompt).toContain(String.raw`- city: \"Rome\"`);
    expect(prompt).not.toContain('hidden');
  });
  test('a guard after it blocks a value', async () => {
    const guarded = [...input, { use: 'keyword', options: { keywords: ['nightingale'] } }];
    const { result } = await ask('guarded-values', { input: guarded }, { city: 'Rome, nightingale' });
    expect(result).toMatchObject({ status: 'aborted', tripwire: { processorId: 'keyword' } });
    expect(bodies).toEqual([]);
  });
  test.each([
    ['waits for an approval while a value of the caller is in the run', { city: 'Rome' }, {}, 'suspended'],
    ['is called if the run has the time alone', {}, {}, 'finished'],
    ['is called if the agent declassifies the values', { city: 'Rome' }, { declassify: true }, 'finished'],
  ])('a consequential tool %s', async (_, context: Record<string, string>, more, status) => {
    const lists = { input: input.map((entry) => ({ ...entry, ...more })), tools: ['send-feedback'] };
    expect((await ask(`consequential-${status}`, lists, context, feedback)).result).toMatchObject({ status });
  });
});

describe('argument-processor', () => {
  const lists = {
    instructions: 'You help customers of {company} with the plan {plan}.',
    input: [
      { use: 'ArgumentProcessorModifier', options: { values: { company: 'Acme' }, context: ['plan'] } },
      { use: 'keyword', options: { keywords: ['nightingale'], strategy: 'redact' } },
    ],
  };
  test('the model reads the values in the instructions alone, as the guards passed them', async () => {
    const { result, prompt } = await ask('filled', lists, { plan: 'nightingale pro' });
    expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
    expect(prompt).toContain('You help customers of Acme with the plan [REDACTED] pro.');
    expect(prompt.split(' pro')).toHaveLength(2);
  });
  test('each step has the values', async () => {
    const sums = script({ toolCalls: [{ name: 'calculator', args: { expression: '1+1' } }] }, { text: 'Two.' });
    await ask('filled-steps', { ...lists, tools: ['calculator'] }, { plan: 'pro' }, sums);
    expect(bodies.map((body) => JSON.stringify(body).includes('of Acme with the plan pro.'))).toEqual([true, true]);
  });
  test('a placeholder without a value stops the run with its name', async () => {
    const { result } = await ask('unfilled', lists, {});
    const reason = 'The instructions have placeholders without a value: {plan}.';
    expect(result).toMatchObject({ status: 'aborted', tripwire: { reason } });
  });
  test.each([
    ['waits for an approval if the caller has set a value', { plan: 'pro' }, 'suspended'],
    ['is called if all values are those of the agent', {}, 'finished'],
  ])('a consequential tool %s', async (_, context: Record<string, string>, status) => {
    const input = [
      { use: 'argument-processor', options: { values: { company: 'Acme', plan: 'free' }, context: ['plan'] } },
    ];
    const consequential = { ...lists, input, tools: ['send-feedback'] };
    expect((await ask(`filled-${status}`, consequential, context, feedback)).result).toMatchObject({ status });
  });
});

describe('memory-import', () => {
  const input = [
    { use: 'MemoryImportModifier', options: { texts: { returns: 'Within 30 days.' }, context: ['cart'] } },
    { use: 'keyword', options: { keywords: ['nightingale'] } },
  ];
  const about = (key: string) => `About @memory:${key}. ${done}`;
  test('the model reads the text of a reference', async () => {
    const { result, prompt } = await ask('importing', { input }, {}, about('returns'));
    expect(result).toMatchObject({ status: 'finished', violations: [] });
    expect(prompt).toContain(String.raw`Text of @memory:returns:\nWithin 30 days.`);
  });
  test('a guard after it blocks an imported value', async () => {
    const { result } = await ask('importing', { input }, { cart: 'one nightingale' }, about('cart'));
    expect(result).toMatchObject({ status: 'aborted', tripwire: { processorId: 'keyword' } });
  });
  test('an unknown key is reported, or stops the run with its name', async () => {
    const { result } = await ask('importing', { input }, {}, about('other'));
    expect(result).toMatchObject({ status: 'finished', violations: [{ rule: 'memory-unknown' }] });
    const blocking = [{ use: 'memory-import', options: { strategy: 'block' } }];
    const stopped = await ask('importing-known', { input: blocking }, {}, about('other'));
    const reason = 'The text of @memory:other does not exist.';
    expect(stopped.result).toMatchObject({ status: 'aborted', tripwire: { reason } });
  });
  test.each([
    ['waits for an approval after the import of a value of the caller', 'cart', 'suspended'],
    ['is called after the import of a text of the agent', 'returns', 'finished'],
  ])('a consequential tool %s', async (_, key, status) => {
    const lists = { input, tools: ['send-feedback'] };
    const text = `About @memory:${key}. ${feedback}`;
    expect((await ask('importing-tools', lists, { cart: 'tea' }, text)).result).toMatchObject({ status });
  });
});
