// The gateway and auth as processes of their own, each with the permissions of its role: API keys over HTTP, and a
// reader that continues at another gateway.
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import OpenAI from 'openai';
import { z } from 'zod';
import { createUserKey, listGatewayUrls, signalGateway } from './gateways.ts';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const stack = useStack(
  nats,
  ['orchestrator', 'tools', 'auth', 'gateway'],
  () => ({
    GATEWAY_PORT: '0',
    REDIS_URL: redis.urlAs('gateway'),
  }),
  { processes: ['gateway'] },
);
const agent = 'over-http';

beforeAll(() =>
  stack.client.agents.apply({
    name: agent,
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    flushMs: 0,
  }),
);

const createKey = (subject: string) => createUserKey(stack, subject);

async function ask(url: string, path: string, key: string, body?: object, headers: object = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
}

describe('API keys over HTTP', () => {
  test('A created key runs an agent, reads its own runs only, and ends at once with its revocation', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const [ada, bob] = await Promise.all([createKey('ada'), createKey('bob')]);
    const body = { model: agent, messages: [{ role: 'user', content: script({ text: 'Hello, Ada.' }) }] };
    const answer = await ask(url, '/v1/chat/completions', ada.key, body);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'Hello, Ada.' } }] });
    const run = `/v1/runs/${answer.headers.get('x-millrace-run-id')}`;
    expect((await ask(url, run, ada.key)).status).toBe(200);
    expect((await ask(url, run, bob.key)).status).toBe(404);
    await stack.client.keys.revoke(ada.id);
    await expect.poll(async () => (await ask(url, run, ada.key)).status, { timeout: 5_000 }).toBe(401);
  });

  test('The open stream of a key ends with the revocation of the key', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key, id } = await createKey('fay');
    const body = { input: script({ text: 'One two three four. '.repeat(50), chunkSize: 1, delayMs: 50 }) };
    const stream = await ask(url, `/v1/agents/${agent}/runs`, key, body, { accept: 'text/event-stream' });
    const seen: Event[] = [];
    const reading = collectEvents(stream, seen);
    await expect.poll(() => seen.length, { timeout: 10_000 }).toBeGreaterThan(3);
    await stack.client.keys.revoke(id);
    await reading;
    expect(seen.at(-1)?.data).toContain('credentials-refused');
    await stack.client.runs.cancel(stream.headers.get('x-millrace-run-id') ?? '');
  });

  test('Neither the gateway nor auth is refused a permission', async () => {
    expect(await stack.log('gateway')).not.toContain('permission');
    expect(await stack.log('auth')).not.toContain('permission');
  });
});

describe('conversations over HTTP', () => {
  const remembering = 'with-history';

  beforeAll(async () => {
    await stack.start('message-history', { REDIS_URL: redis.urlAs('message-history') });
    await stack.client.agents.apply({
      name: remembering,
      model: 'openai/gpt-5-mini',
      tools: ['ask-user'],
      questions: ['ask-user'],
      clientTools: true,
      memory: { lastMessages: 10 },
    });
  });
  const respond = async (key: string, body: object) => {
    const [url = ''] = await listGatewayUrls(stack);
    return ask(url, '/v1/responses', key, { model: remembering, ...body });
  };
  const responseSchema = z.object({ id: z.string() });

  test('A chat on the thread of another subject is a 404 before the model is called', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const [owner, other] = [await createKey('ida'), await createKey('jon')];
    const messages = [{ role: 'user', content: 'My name is Ida.' }];
    const chat = (key: string) =>
      ask(url, '/v1/chat/completions', key, { model: remembering, messages }, { 'x-millrace-thread': 'ida-1' });
    expect((await chat(owner.key)).status).toBe(200);
    const refused = await chat(other.key);
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error: { message: expect.not.stringContaining('Ida') } });
    const runId = refused.headers.get('x-millrace-run-id') ?? '';
    const events = await stack.client.runs.events(runId);
    expect(events.some(({ event }) => event === 'model')).toBe(false);
  });

  test('previous_response_id continues a conversation, which cannot branch', async () => {
    const { key } = await createKey('gil');
    const first = responseSchema.parse(await (await respond(key, { input: 'My name is Gil.' })).json());
    const next = { previous_response_id: first.id, input: 'What is my name?' };
    const second = await respond(key, next);
    expect(second.status).toBe(200);
    expect(JSON.stringify(await second.json())).toContain('Your name is Gil');
    expect((await respond(key, next)).status).toBe(400);
    const { key: other } = await createKey('hal');
    expect((await respond(other, next)).status).toBe(404);
  });

  test('A conversation of the openai client holds the texts of its responses', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key } = await createKey('ivy');
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const conversation = await client.conversations.create({ metadata: { topic: 'weather' } });
    expect(conversation).toMatchObject({ object: 'conversation', metadata: { topic: 'weather' } });
    for (const text of ['First.', 'Second.'])
      await client.responses.create({ model: remembering, conversation: conversation.id, input: script({ text }) });
    const stored = await (await ask(url, `/v1/threads/${conversation.id}/messages`, key)).text();
    expect(stored).toContain('First.');
    expect(stored).toContain('Second.');
    const items = [{ type: 'message' as const, role: 'user' as const, content: 'Hi.' }];
    await expect(client.conversations.create({ items })).rejects.toMatchObject({ status: 400, param: 'items' });
  });

  test('A thread holds the question, the call of the client and its result once', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key } = await createKey('jon');
    const thread = crypto.randomUUID();
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, defaultHeaders: { 'x-millrace-thread': thread } });
    const tools = [{ type: 'function' as const, function: { name: 'weather' } }];
    const content = script({ toolCalls: [{ name: 'weather', args: {} }] }, { text: 'It rains.' });
    const question = { role: 'user' as const, content };
    const asked = await client.chat.completions.create({ model: remembering, messages: [question], tools });
    const [answer] = asked.choices.map(({ message }) => message);
    if (!answer) throw new Error('no answer');
    const result = { role: 'tool' as const, tool_call_id: answer.tool_calls?.[0]?.id ?? '', content: 'heavy rain' };
    const messages = [question, answer, result];
    const next = await client.chat.completions.create({ model: remembering, messages, tools });
    expect(next.choices[0]?.message.content).toBe('It rains.');
    const stored = await (await ask(url, `/v1/threads/${thread}/messages`, key)).text();
    expect(stored.match(/"role":"user"/g)).toHaveLength(1);
    expect(stored.match(/heavy rain/g)).toHaveLength(1);
  });

  test('A background response is polled until it is completed', async () => {
    const { key } = await createKey('ida');
    const input = script({ text: 'Later.', chunkSize: 1, delayMs: 50 });
    const started = await (await respond(key, { input, background: true })).json();
    expect(started).toMatchObject({ status: 'in_progress' });
    const [url = ''] = await listGatewayUrls(stack);
    const path = `/v1/responses/${responseSchema.parse(started).id}`;
    await expect
      .poll(async () => (await ask(url, path, key)).json(), { timeout: 10_000 })
      .toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Later.' }] }] });
  });

  test('The next message of a thread answers the question of the agent in a chat completion', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key } = await createKey('jan');
    const headers = { 'x-openwebui-chat-id': crypto.randomUUID() };
    const complete = async (messages: object[]) =>
      (await ask(url, '/v1/chat/completions', key, { model: remembering, messages }, headers)).json();
    const asking = { toolCalls: [{ name: 'ask-user', args: { question: 'Which city?' } }] };
    const question = { role: 'user', content: script(asking, { text: 'Oslo it is.' }) };
    expect(await complete([question])).toMatchObject({ choices: [{ message: { content: 'Which city?' } }] });
    const answer = [question, { role: 'assistant', content: 'Which city?' }, { role: 'user', content: 'Oslo' }];
    expect(await complete(answer)).toMatchObject({ choices: [{ message: { content: 'Oslo it is.' } }] });
  });

  test('The titles that a chat client asks for are not in the thread', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key } = await createKey('kim');
    const chat = crypto.randomUUID();
    const headers = { 'x-openwebui-chat-id': chat };
    const send = (content: string, more: object = {}) =>
      ask(
        url,
        '/v1/chat/completions',
        key,
        { model: remembering, messages: [{ role: 'user', content }] },
        { ...headers, ...more },
      );
    await (await send('My name is Kim.')).text();
    await (await send('Generate a concise title.', { 'x-openwebui-task': 'title_generation' })).text();
    const stored = await (await ask(url, `/v1/threads/${chat}/messages`, key)).text();
    expect(stored).toContain('My name is Kim.');
    expect(stored).not.toContain('concise title');
  });
});

describe('two gateways with one Redis', () => {
  test('Two gateways share the requests a minute of a key', async () => {
    await stack.start('gateway');
    const [first = '', second = ''] = await listGatewayUrls(stack);
    const { key } = await stack.client.keys.create({
      subject: 'dan',
      scopes: ['read'],
      limits: { requestsPerMinute: 3 },
    });
    const statuses: number[] = [];
    for (const url of [first, second, first, second]) statuses.push((await ask(url, '/v1/agents', key)).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test('A request that an openai client repeats at another gateway joins the run of the first one', async () => {
    const [first = '', second = ''] = await listGatewayUrls(stack);
    const { key } = await createKey('eve');
    const content = script({ text: 'Once.', chunkSize: 1, delayMs: 50 });
    const body = { model: agent, messages: [{ role: 'user', content }] };
    const sent = ask(first, '/v1/chat/completions', key, body);
    await setTimeout(100);
    const repeated = await ask(second, '/v1/chat/completions', key, body, { 'x-stainless-retry-count': '1' });
    expect(repeated.headers.get('x-millrace-run-id')).toBe((await sent).headers.get('x-millrace-run-id'));
  });
});

test('A gateway without Redis refuses to start if another one runs', async () => {
  const { NATS_NKEY_FILE: _, ...env } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../services/gateway/src/main.ts')], {
    env: { ...env, NATS_URL: nats.url, NATS_NKEY_FILE: join(nats.keys ?? '', 'gateway/user.nk'), GATEWAY_PORT: '0' },
  });
  const output = text(child.stderr);
  const [code] = await once(child, 'exit');
  expect([code, await output]).toEqual([1, expect.stringContaining('REDIS_URL is not set')]);
});

test('Readers of the own API and of a response continue at another gateway when theirs is killed', async () => {
  const [first = '', second = ''] = await listGatewayUrls(stack);
  const { key } = await createKey('cleo');
  const words = 'One two three four five six seven eight nine ten eleven twelve.';
  const body = { input: script({ text: words, chunkSize: 1, delayMs: 50 }) };
  const accept = { accept: 'text/event-stream' };
  const reading = await ask(first, `/v1/agents/${agent}/runs`, key, body, accept);
  const runId = reading.headers.get('x-millrace-run-id');
  const seen: Event[] = [];
  const broken = collectEvents(reading, seen);
  const response = await ask(first, '/v1/responses', key, { model: agent, input: body.input, stream: true });
  const shown: Event[] = [];
  const ended = Promise.allSettled([broken, collectEvents(response, shown)]);
  await expect.poll(() => Math.min(seen.length, shown.length), { timeout: 10_000 }).toBeGreaterThan(8);
  signalGateway(stack, 'first');
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const last = seen.findLast(({ id }) => id !== undefined)?.id ?? '';
  const rest: Event[] = [];
  await collectEvents(await ask(second, `/v1/runs/${runId}/chunks`, key, undefined, { 'last-event-id': last }), rest);
  expect(joinText(seen) + joinText(rest)).toBe(words);
  expect(rest.at(-1)?.data).toContain('"status":"finished"');

  const id = `resp_${response.headers.get('x-millrace-run-id')}`;
  const after = numberSchema.parse(JSON.parse(shown.at(-1)?.data ?? '')).sequence_number;
  const later: Event[] = [];
  await collectEvents(await ask(second, `/v1/responses/${id}?stream=true&starting_after=${after}`, key), later);
  expect(joinOutput(shown) + joinOutput(later)).toBe(words);
  expect(later.at(-1)?.data).toContain('"type":"response.completed"');
});

const numberSchema = z.object({ sequence_number: z.number() });
const outputSchema = z.object({ type: z.literal('response.output_text.delta'), delta: z.string() });
const joinOutput = (events: readonly Event[]): string =>
  events.map(({ data }) => outputSchema.safeParse(JSON.parse(data)).data?.delta ?? '').join('');

type Event = { id: string | undefined; data: string };

/** Appends to `events` as they arrive, so that those before a break are known. */
async function collectEvents(response: Response, events: Event[]): Promise<void> {
  let rest = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const texts = (rest + part).split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const data = /^data: (.*)$/m.exec(text)?.[1];
      if (data !== undefined) events.push({ id: /^id: (.*)$/m.exec(text)?.[1], data });
    }
  }
}

const deltaSchema = z.object({ type: z.literal('text-delta'), payload: z.object({ text: z.string() }) });
const joinText = (events: readonly Event[]): string =>
  events.map(({ data }) => deltaSchema.safeParse(JSON.parse(data)).data?.payload.text ?? '').join('');
