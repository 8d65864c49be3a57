// Turns of runs that were stopped or have failed, in the thread and in the next prompt.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMessageText } from '@millrace/contracts';
import { defineMethods, useNats, useOwnRedis, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-stopped-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Judges an answer at its end alone. */
const lateJudge = defineMethods('late-judge', { processOutputResult: () => undefined }, { reads: ['response'] });
/** Judges the response of the provider alone. */
const responseJudge = defineMethods('response-judge', { processLLMResponse: () => undefined }, { reads: ['response'] });
/** Hangs at the input of the step, before the model is asked. */
const hangingStep = defineMethods(
  'hanging-step',
  { processInputStep: () => new Promise<undefined>(() => undefined) },
  { reads: ['input'] },
);

/** Judges the input during the call of the model, and a text with `Quebec` without an end. */
const overlappingJudge = defineMethods(
  'overlapping-judge',
  {
    processInput: ({ messageList }) =>
      messageList.getLatestUserContent().includes('Quebec') ? new Promise<undefined>(() => undefined) : undefined,
  },
  { reads: ['input'], changes: { processInput: 'never' } },
);

const nats = useNats();
const redis = useOwnRedis();
useProcessors(nats, [lateJudge, responseJudge, hangingStep, overlappingJudge]);
const stack = useStack(nats, ['auth', 'gateway', 'guardrails', 'message-history'], () => ({
  GATEWAY_PORT: '0',
  REDIS_URL: redis.url,
  FORGET_SERVICES: '',
  SQLITE_PATH: join(folder, 'unused.db'),
}));
const { bodies } = useModelProxy(stack);
let url = '';
let key = '';

const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'forbidden' }] } };
beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0, maxProcessorRetries: 0 };
  const memory = { lastMessages: 20 };
  const guarded = { ...base, input: [blocking, 'memory'], output: [blocking, 'memory'] };
  const agents = {
    plain: { ...guarded, memory },
    partial: { ...guarded, memory: { ...memory, keepPartial: true } },
    responding: { ...base, input: ['response-judge', 'memory'], memory: { ...memory, keepPartial: true } },
    late: { ...base, output: ['late-judge', 'memory'], memory: { ...memory, keepPartial: true } },
    buffered: { ...guarded, release: 'result', memory: { ...memory, keepPartial: true } },
    overlapped: {
      ...base,
      input: [{ parallel: [{ use: 'overlapping-judge', timeoutMs: 60_000 }], overlap: 'model' }, 'memory'],
      memory: { ...memory, keepPartial: true },
    },
    hanging: { ...base, input: ['memory', { use: 'hanging-step', timeoutMs: 5_000 }], memory },
  };
  for (const [name, agent] of Object.entries(agents)) await stack.client.agents.apply({ ...agent, name });
});
beforeEach(() => void bodies.splice(0));

const slow = (word: string, text: string) => `${word} ${script({ text, chunkSize: 4, delayMs: 60 })}`;
const LONG = 'An ordinary sentence without an end. '.repeat(20);

async function readThread(threadId: string) {
  const stored = await stack.client.threads.messages(threadId).catch(() => ({ messages: [] }));
  return stored.messages.map(({ role, content, ...message }) => ({
    role,
    text: readMessageText({ role, content, ...message }),
    interrupted: content.metadata?.['interrupted'],
  }));
}

/** Starts a run and cancels it when its text has begun. */
async function stop(agent: string, threadId: string, text: string, options: object = {}) {
  const run = await stack.client.start(agent, text, { threadId, resourceId: 'ada', ...options });
  let shown = '';
  for await (const chunk of run.fullStream) {
    if (chunk.type !== 'text-delta') continue;
    shown += chunk.payload.text;
    if (shown.length > 40) await run.cancel();
  }
  const result = await run.result();
  expect(result.status).toBe('cancelled');
  return { shown, result };
}
async function readFirstText(run: Awaited<ReturnType<typeof stack.client.start>>): Promise<string> {
  for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') return chunk.payload.text;
  return '';
}
const generate = (agent: string, threadId: string, text: string) =>
  stack.client.generate(agent, text, { threadId, resourceId: 'ada' });

describe('a run that is stopped', () => {
  test('useChat keeps the message of the user, and the next prompt has it', async () => {
    const id = crypto.randomUUID();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const send = (text: string) =>
      fetch(`${url}/v1/agents/plain/ui`, {
        method: 'POST',
        headers,
        body: JSON.stringify({
          id,
          messages: [{ id: crypto.randomUUID(), role: 'user', parts: [{ type: 'text', text }] }],
        }),
      });
    const reading = (await send(slow('Quebec', LONG))).text();
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
    expect((await fetch(`${url}/v1/agents/plain/ui/${id}/stop`, { method: 'POST', headers })).status).toBe(204);
    await reading;
    await expect
      .poll(() => readThread(id), { timeout: 5_000 })
      .toMatchObject([{ role: 'user', text: expect.stringContaining('Quebec') }]);
    await (await send(`Romeo ${script({ text: 'Fine.' })}`)).text();
    expect(JSON.stringify(bodies.at(-1))).toContain('Quebec');
    expect((await readThread(id)).map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
  });

  test('keepPartial keeps the part of the answer that readers have seen, marked as interrupted', async () => {
    const threadId = crypto.randomUUID();
    const { result } = await stop('partial', threadId, slow('Quebec', LONG));
    const [question, answer, ...rest] = await readThread(threadId);
    expect([question?.role, question?.interrupted, rest]).toEqual(['user', undefined, []]);
    expect(answer).toMatchObject({ role: 'assistant', interrupted: true, text: result.text });
    expect(LONG.startsWith(answer?.text ?? 'none')).toBe(true);
    expect(result.text.length).toBeGreaterThan(40);
    await generate('partial', threadId, script({ text: 'Fine.' }));
    expect(JSON.stringify(bodies.at(-1))).toContain(result.text.slice(0, 40));
  });

  test.each(['plain', 'late', 'responding'])('%s stores the message of the user alone', async (agent) => {
    const threadId = crypto.randomUUID();
    await stop(agent, threadId, slow('Quebec', LONG));
    expect((await readThread(threadId)).map(({ role }) => role)).toEqual(['user']);
  });

  test('An answer that was buffered until its end is not stored in part', async () => {
    const threadId = crypto.randomUUID();
    const run = await stack.client.start('buffered', slow('Quebec', LONG), { threadId, resourceId: 'ada' });
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
    await run.cancel();
    await run.result();
    expect((await readThread(threadId)).map(({ role }) => role)).toEqual(['user']);
  });

  test('A run that replaces messages and is stopped keeps the old ones', async () => {
    const threadId = crypto.randomUUID();
    await generate('partial', threadId, script({ text: 'Old.' }));
    const { messages } = await stack.client.threads.messages(threadId);
    await stop('partial', threadId, slow('Quebec', LONG), { replaces: messages.map(({ id }) => id) });
    expect((await readThread(threadId)).map(({ text }) => text.slice(0, 4))).toEqual(['Say ', 'Old.']);
  });

  test.each([
    ['that a group that overlaps the model has not judged yet is not stored', 'Quebec', []],
    ['that a group that overlaps the model has passed is stored', 'Romeo', ['user']],
  ])('A message %s', async (_case, word, roles) => {
    const threadId = crypto.randomUUID();
    const run = await stack.client.start('overlapped', slow(word, LONG), { threadId, resourceId: 'ada' });
    const isShown = word === 'Romeo' && (await readFirstText(run)) !== '';
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
    await run.cancel();
    expect((await run.result()).status).toBe('cancelled');
    const stored = (await readThread(threadId)).map(({ role }) => role);
    expect([isShown, stored.slice(0, 1)]).toEqual([word === 'Romeo', roles]);
  });

  test('A message that an entry of the step has not judged yet is not stored', async () => {
    const threadId = crypto.randomUUID();
    const run = await stack.client.start('hanging', 'Quebec', { threadId, resourceId: 'ada' });
    await expect.poll(async () => (await stack.client.runs.get(run.runId)).status, { timeout: 10_000 }).toBe('running');
    await run.cancel();
    expect((await run.result()).status).toBe('cancelled');
    expect(await readThread(threadId)).toEqual([]);
  });
});

describe('a run that fails or is blocked', () => {
  const failing = script({ error: { status: 400, message: 'Broken.' } });

  test.each(['plain', 'partial'])('%s keeps the message of the user if the model fails', async (agent) => {
    const threadId = crypto.randomUUID();
    expect(await generate(agent, threadId, `Quebec ${failing}`)).toMatchObject({ status: 'failed' });
    expect((await readThread(threadId)).map(({ role }) => role)).toEqual(['user']);
  });

  /** @param texts of the user and of the assistant, in turns */
  const complete = async (chat: string, ...texts: string[]) => {
    const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-conversation-id': chat },
      body: JSON.stringify({ model: 'plain', messages }),
    });
    await answer.text();
  };

  test('A client that repeats the question of a failed run does not double it', async () => {
    const chat = crypto.randomUUID();
    for (let attempt = 0; attempt < 3; attempt += 1) await complete(chat, `Quebec ${failing}`);
    expect((await readThread(chat)).map(({ role }) => role)).toEqual(['user']);
  });

  test('A client that asks the question of a failed run again behind the part of its answer keeps both', async () => {
    const chat = crypto.randomUUID();
    const question = `Quebec ${failing}`;
    await complete(chat, question);
    await complete(chat, question, 'A part.', question);
    expect((await readThread(chat)).map(({ role }) => role)).toEqual(['user', 'user']);
  });

  test.each([
    ['its input', 'A forbidden question.'],
    ['its answer', script({ text: 'A forbidden answer.' })],
  ])('A run that is blocked for %s stores nothing', async (_case, text) => {
    const threadId = crypto.randomUUID();
    expect(await generate('partial', threadId, text)).toMatchObject({ status: 'aborted' });
    expect(await readThread(threadId)).toEqual([]);
  });
});

test('The message of a run that is stopped during an outage of the store is stored after it', async () => {
  const threadId = crypto.randomUUID();
  const run = await stack.client.start('partial', slow('Quebec', LONG), { threadId, resourceId: 'ada' });
  await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
  await redis.stop();
  await run.cancel();
  expect(await run.result()).toMatchObject({ status: 'cancelled', unsaved: ['message-history'] });
  await redis.start();
  await expect.poll(() => readThread(threadId), { timeout: 20_000 }).not.toEqual([]);
  expect((await readThread(threadId))[0]).toMatchObject({ role: 'user', text: expect.stringContaining('Quebec') });
}, 60_000);
