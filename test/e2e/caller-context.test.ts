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
