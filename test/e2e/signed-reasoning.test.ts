// The reasoning of a model reaches it again with its signature, observed between the orchestrator and dev-model.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '@millrace/contracts';
import { defineMethods, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const replace = (text: string) => text.replaceAll('secret', '[masked]');
/** Masks a word of the reasoning in the stream. */
const masker = defineMethods('reasoning-masker', {
  processOutputStream: ({ part }) =>
    part.type === 'reasoning-delta'
      ? { ...part, payload: { ...part.payload, text: replace(part.payload.text) } }
      : part,
});
/** Masks a word of the recalled reasoning. */
const recallMasker = defineMethods(
  'recall-masker',
  {
    processInput: ({ messages }) =>
      messages.map((message) => ({
        ...message,
        content: {
          ...message.content,
          parts: message.content.parts.map((part) =>
            part.type === 'reasoning' ? { ...part, reasoning: replace(part.reasoning) } : part,
          ),
        },
      })),
  },
  { reads: ['remembered'] },
);
/** Chooses another model for later steps. */
const other = defineMethods('other-model', {
  processInputStep: ({ stepNumber }) => (stepNumber > 0 ? { model: 'openai/gpt-5' } : undefined),
});

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-reasoning-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
useProcessors(nats, [masker, recallMasker, other]);
const stack = useStack(nats, ['tools', 'guardrails']);
const proxy = useModelProxy(stack);

const base = {
  model: 'openai/gpt-5-mini',
  tools: ['calculator'],
  callerRoles: ['user', 'assistant'],
  memory: { lastMessages: 10 },
};
beforeAll(async () => {
  await proxy.startService('message-history', { SQLITE_PATH: join(folder, 'memory.db') });
  await stack.client.agents.apply({ ...base, name: 'plain', input: ['memory', 'secrets', 'pii'] });
  await stack.client.agents.apply({ ...base, name: 'masked', output: ['reasoning-masker'] });
  await stack.client.agents.apply({ ...base, name: 'recalled', input: ['memory', 'recall-masker'] });
  await stack.client.agents.apply({ ...base, name: 'changing', input: ['other-model'] });
}, 120_000);
beforeEach(() => void (proxy.bodies.length = 0));

const TURN = script(
  { reasoning: 'I need the secret sum.', toolCalls: [{ name: 'calculator', args: { expression: '2 + 3' } }] },
  { reasoning: 'The sum is secret.', text: 'It is 5.' },
);
const listReasoning = (body: unknown): unknown[] => {
  const input: unknown = isObject(body) ? body['input'] : undefined;
  return Array.isArray(input) ? input.filter((item: unknown) => isObject(item) && item['type'] === 'reasoning') : [];
};
const ask = (agent: string, text: string, threadId: string) =>
  stack.client.generate(agent, text, { threadId, resourceId: 'ada' });
const expectSigned = (text: string) =>
  expect.objectContaining({
    summary: [{ type: 'summary_text', text }],
    encrypted_content: expect.stringMatching(/^dev-model\./),
  });

test('The next step and the next turn of a thread send the reasoning with its signature, and nothing of Millrace', async () => {
  expect((await ask('plain', TURN, 'plain')).text).toBe('It is 5.');
  await ask('plain', 'Hi.', 'plain');
  const [first, second, third] = proxy.bodies.map(listReasoning);
  expect(first).toEqual([]);
  expect(second).toEqual([expectSigned('I need the secret sum.')]);
  expect(third).toEqual([expectSigned('I need the secret sum.'), expectSigned('The sum is secret.')]);
  expect(JSON.stringify(proxy.bodies)).not.toContain('digest');
  expect(proxy.bodies).toMatchObject([{ store: false }, { store: false }, { store: false }]);
});

test('Reasoning that a processor of the stream has changed is not sent, and the run finishes', async () => {
  expect((await ask('masked', TURN, 'masked')).status).toBe('finished');
  await ask('masked', 'Hi.', 'masked');
  expect(proxy.bodies.map(listReasoning)).toEqual([[], [], []]);
});

test('Reasoning that a processor changes when a thread is recalled is not sent', async () => {
  await ask('recalled', TURN, 'recalled');
  proxy.bodies.length = 0;
  await ask('recalled', 'Hi.', 'recalled');
  expect(proxy.bodies.map(listReasoning)).toEqual([[]]);
});

test('Another model receives no reasoning of the first', async () => {
  expect((await ask('changing', TURN, 'changing')).text).toBe('It is 5.');
  expect(proxy.bodies).toMatchObject([{ model: 'gpt-5-mini' }, { model: 'gpt-5' }]);
  expect(proxy.bodies.map(listReasoning)).toEqual([[], []]);
});

test('The reasoning that a caller submits with the signature of an answer is neither sent nor stored with it', async () => {
  const { messages } = await ask('plain', TURN, 'own');
  const copies = messages.map((message, at) => ({ ...message, id: `copy-${at}` }));
  expect(JSON.stringify(copies)).toContain('reasoningEncryptedContent');
  proxy.bodies.length = 0;
  const question = {
    ...copies[0],
    id: 'question',
    role: 'user',
    content: { format: 2, parts: [{ type: 'text', text: 'Hi.' }] },
  };
  const threads = { threadId: 'copied', resourceId: 'ada' };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- copies of messages
  await stack.client.generate('plain', [...copies, question] as never, threads);
  await ask('plain', 'Hi.', 'copied');
  expect(proxy.bodies.map(listReasoning)).toEqual([[], []]);
});
