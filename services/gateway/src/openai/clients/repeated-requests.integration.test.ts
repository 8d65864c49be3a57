// What each unchanged client sends after its connection was cut, and how often the agent runs: a proxy in front of the gateway cuts the first
// connection when the run is accepted, on both sides.
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type LanguageModel } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyClientAgents, clientAgents } from '../../testing/client-agents.ts';
import { useGateway } from '../../testing/gateway-under-test.ts';
import { script } from '../../testing/scripted.ts';

const gateway = useGateway();
const { open: agent } = clientAgents;
const held = 'clients-held';
const counts: (string | undefined)[] = [];
let proxy: Server | undefined;
/** Resolves when the next request has been accepted, and its connection is cut. */
let cutNext: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  await applyClientAgents(gateway.stack.client.agents);
  proxy = createServer((incoming, answer) => void forward(incoming, answer)).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(() => {
  proxy?.closeAllConnections();
  proxy?.close();
});

async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
  const cut = cutNext;
  cutNext = undefined;
  const { headers, method = 'POST', url = '/' } = incoming;
  counts.push(headers['x-stainless-retry-count']?.toString());
  const upstream = request(new URL(url, gateway.url), { method, headers });
  upstream.on('error', () => answer.destroy());
  upstream.on('response', (received) => {
    answer.writeHead(received.statusCode ?? 502, received.headers);
    received.pipe(answer);
  });
  incoming.pipe(upstream);
  if (!cut) return;
  await cut();
  upstream.destroy();
  incoming.socket.destroy();
}

const subject = 'ada';
const listRuns = async () => (await gateway.stack.client.runs.list({ subject, newest: true, limit: 100 })).runs;
const countRuns = async () => (await listRuns()).length;

const baseUrl = (): string => {
  const address = proxy?.address();
  if (typeof address !== 'object' || !address) throw new Error('the proxy does not listen');
  return `http://127.0.0.1:${address.port}/v1`;
};
const generate = async (model: LanguageModel, prompt: string) => (await generateText({ model, prompt })).text;
const connectAiSdk = () => createOpenAI({ apiKey: 'key-ada', baseURL: baseUrl() });
const connectOpenAi = () => new OpenAI({ apiKey: 'key-ada', baseURL: baseUrl() });
const connectLangChain = (useResponsesApi: boolean) =>
  new ChatOpenAI({
    model: agent,
    apiKey: 'key-ada',
    maxRetries: 2,
    useResponsesApi,
    configuration: { baseURL: baseUrl() },
  });

type Ask = (prompt: string) => Promise<string | null | undefined>;
const RESPONSES: [string, Ask, string | undefined][] = [
  ['openai', async (input) => (await connectOpenAi().responses.create({ model: agent, input })).output_text, '1'],
  ['@ai-sdk/openai', (prompt) => generate(connectAiSdk().responses(agent), prompt), undefined],
  ['@langchain/openai', async (prompt) => (await connectLangChain(true).invoke(prompt)).text, '0'],
];
const CHATS: [string, Ask, string | undefined][] = [
  [
    'openai',
    async (content) => {
      const messages = [{ role: 'user' as const, content }];
      return (await connectOpenAi().chat.completions.create({ model: agent, messages })).choices[0]?.message.content;
    },
    '1',
  ],
  ['@ai-sdk/openai', (prompt) => generate(connectAiSdk().chat(agent), prompt), undefined],
  [
    '@ai-sdk/openai-compatible',
    (prompt) =>
      generate(createOpenAICompatible({ name: 'millrace', baseURL: baseUrl(), apiKey: 'key-ada' })(agent), prompt),
    undefined,
  ],
  ['@langchain/openai', async (prompt) => (await connectLangChain(false).invoke(prompt)).text, '0'],
];

/** Asks over a connection that is cut once. Returns the answer and the runs of the request, the newest first. */
async function askCut(ask: Ask, words: string) {
  const before = new Set((await listRuns()).map(({ runId }) => runId));
  counts.length = 0;
  cutNext = () => expect.poll(countRuns, { timeout: 10_000 }).toBe(before.size + 1);
  const text = await ask(script({ text: words, chunkSize: 2, delayMs: 40 }));
  const own = () => listRuns().then((runs) => runs.filter(({ runId }) => !before.has(runId)));
  await expect.poll(async () => (await own()).some(({ status }) => status === 'running')).toBe(false);
  return { text, runs: (await own()).map(({ status }) => status) };
}

describe('a connection that is cut after the run was accepted', () => {
  test.each(RESPONSES)('%s repeats its request of a response, which joins the run', async (name, ask, count) => {
    const words = `Once and only once for ${name}.`;
    expect(await askCut(ask, words)).toEqual({ text: words, runs: ['finished'] });
    expect(counts).toEqual([count === undefined ? undefined : '0', count]);
  });

  test.each(CHATS)('%s repeats its request of a chat after its first run was cancelled', async (name, ask, count) => {
    const words = `Cancelled with its client for ${name}.`;
    expect(await askCut(ask, words)).toEqual({ text: words, runs: ['finished', 'cancelled'] });
    expect(counts).toEqual([count === undefined ? undefined : '0', count]);
  });
});

test('A chat with an Idempotency-Key continues behind a cut connection, and the repetition joins it', async () => {
  const chat = createOpenAICompatible({ name: 'millrace', baseURL: baseUrl(), apiKey: 'key-ada' })(agent);
  const words = 'Once and only once with a key.';
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  const ask: Ask = async (prompt) => (await generateText({ model: chat, prompt, headers })).text;
  expect(await askCut(ask, words)).toEqual({ text: words, runs: ['finished'] });
});

test('A stream that is cut before its first content is joined by its repetition', async () => {
  const { agents } = gateway.stack.client;
  await agents.apply({ name: held, model: 'openai/gpt-5-mini', instructions: 'Answer.', release: 'step' });
  const ask: Ask = async (input) => {
    let text = '';
    for await (const event of await connectOpenAi().responses.create({ model: held, input, stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    return text;
  };
  const words = 'Once and only once in a stream.';
  expect(await askCut(ask, words)).toEqual({ text: words, runs: ['finished'] });
});

describe('a thread', () => {
  const ask = (content: string, thread: string, maxRetries = 2) => {
    const client = new OpenAI({ apiKey: 'key-ada', baseURL: baseUrl(), maxRetries });
    const headers = { 'x-millrace-thread': thread };
    const request = { model: clientAgents.asking, messages: [{ role: 'user' as const, content }] };
    return client.chat.completions.create(request, { headers });
  };
  const asking = { toolCalls: [{ name: 'ask-user', args: { question: 'Which city?' } }] };
  const findRun = async (threadId: string) => (await gateway.stack.client.runs.list({ threadId, limit: 10 })).runs;

  test('The repetition of an answer to a question joins the run', async () => {
    const thread = crypto.randomUUID();
    const words = 'Once and only once after a question.';
    const first = await ask(script(asking, { text: words, chunkSize: 2, delayMs: 40 }), thread);
    cutNext = () => expect.poll(async () => (await findRun(thread))[0]?.status, { timeout: 10_000 }).toBe('running');
    const second = await ask('Oslo', thread);
    expect([second.id, second.choices[0]?.message.content]).toEqual([first.id, words]);
    expect((await findRun(thread)).map(({ status }) => status)).toEqual(['finished']);
  });

  test('The same message on another thread is a run of its own', async () => {
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const content = script(asking, { text: 'The same answer.', chunkSize: 2, delayMs: 40 });
    await Promise.all([ask(content, first), ask(content, second)]);
    cutNext = () => expect.poll(async () => (await findRun(first))[0]?.status, { timeout: 10_000 }).toBe('running');
    await expect(ask('Oslo', first, 0)).rejects.toThrow(/Connection error/);
    const answer = await ask('Oslo', second, 0);
    expect(answer.id).toContain((await findRun(second))[0]?.runId);
  });
});

test('Identical requests at the same time, and after an answer, are runs of their own', async () => {
  const before = await countRuns();
  const input = script({ text: 'The same words.', chunkSize: 2, delayMs: 20 });
  const ask = () => connectOpenAi().responses.create({ model: agent, input });
  const both = await Promise.all([ask(), ask()]);
  const ids = [...both, await ask()].map(({ id }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(await countRuns()).toBe(before + 3);
});
