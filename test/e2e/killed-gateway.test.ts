// A gateway that is killed while clients of OpenAI's protocols wait: another one finishes the answer, and the agent runs once.
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type LanguageModel } from 'ai';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { createUserKey, listTwoGateways, signalGateway } from './gateways.ts';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const stack = useStack(
  nats,
  ['orchestrator', 'auth', 'gateway'],
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
    clientTools: true,
  }),
);

const createKey = (subject: string) => createUserKey(stack, subject);

describe('a gateway that is killed after it has submitted a run', () => {
  const words = 'Once and only once, although the client has asked twice.';
  const said = script({ text: words, chunkSize: 2, delayMs: 150 });
  type Target = { apiKey: string; baseURL: string; fetch: typeof fetch };
  /** Requests of an unchanged client: the repeated ones reach another gateway, as behind a load balancer. */
  const aim = (apiKey: string, first: string, second: string): Target => {
    const urls = [first];
    const choose = (url: unknown) => String(url).replace(first, urls.shift() ?? second);
    return { apiKey, baseURL: `${first}/v1`, fetch: (url, init) => fetch(choose(url), init) };
  };
  const generate = async (model: LanguageModel) => (await generateText({ model, prompt: said })).text;
  const askLangChain = async ({ apiKey, ...configuration }: Target, useResponsesApi: boolean) =>
    (await new ChatOpenAI({ model: agent, apiKey, maxRetries: 2, useResponsesApi, configuration }).invoke(said)).text;
  const CLIENTS: Record<string, (target: Target) => Promise<string | null | undefined>> = {
    'openai-chat': async (target) => {
      const messages = [{ role: 'user' as const, content: said }];
      return (await new OpenAI(target).chat.completions.create({ model: agent, messages })).choices[0]?.message.content;
    },
    'openai-responses': async (target) =>
      (await new OpenAI(target).responses.create({ model: agent, input: said })).output_text,
    'ai-sdk-chat': (target) => generate(createOpenAI(target).chat(agent)),
    'ai-sdk-responses': (target) => generate(createOpenAI(target).responses(agent)),
    'ai-sdk-compatible': (target) => generate(createOpenAICompatible({ name: 'millrace', ...target })(agent)),
    'langchain-chat': (target) => askLangChain(target, false),
    'langchain-responses': (target) => askLangChain(target, true),
  };

  test('Every client repeats its request at another gateway, and the agent runs once for each', async () => {
    await stack.start('gateway');
    const { first, second } = await listTwoGateways(stack);
    const listRuns = async () => {
      const { runs } = await stack.client.runs.list({ agent, limit: 100 });
      return runs.map(({ subject, status }) => `${subject} ${status}`).toSorted();
    };
    const describeAll = (status: string) =>
      Object.keys(CLIENTS)
        .map((name) => `${name} ${status}`)
        .toSorted();
    const answering = Object.entries(CLIENTS).map(async ([name, ask]) => {
      const { key } = await createKey(name);
      return [name, await ask(aim(key, first, second))] as const;
    });
    const answers = Promise.all(answering);
    await expect.poll(listRuns, { timeout: 15_000 }).toEqual(describeAll('running'));
    signalGateway(stack, 'last');
    expect(Object.fromEntries(await answers)).toEqual(
      Object.fromEntries(Object.keys(CLIENTS).map((name) => [name, words])),
    );
    expect(await listRuns()).toEqual(describeAll('finished'));
  });

  const INFO = { name: 'test', version: '1.0.0' };
  /** The timeout of a call. A client of 2025 does not notice that its stream has broken, and waits for it. */
  const MCP_TIMEOUT_MS = 8_000;
  const openOld = async (url: URL, options: McpOptions) => {
    const client = new OldClient(INFO);
    await client.connect(new OldTransport(url, options));
    return {
      close: () => client.close(),
      call: (message: string) =>
        client.callTool({ name: agent, arguments: { message } }, undefined, { timeout: MCP_TIMEOUT_MS }),
    };
  };
  const openNew = async (url: URL, options: McpOptions) => {
    const client = new NewClient(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new NewTransport(url, options));
    return {
      close: () => client.close(),
      call: (message: string) => client.callTool({ name: agent, arguments: { message } }, { timeout: MCP_TIMEOUT_MS }),
    };
  };
  type McpOptions = { requestInit: RequestInit; fetch: (url: string | URL, init?: RequestInit) => Promise<Response> };

  test.each([
    ['2025', openOld, /timed out/],
    ['2026', openNew, /fetch failed|closed|terminated/],
  ])(
    'A client of MCP of %s gets an error, and its next call is served by another gateway',
    async (year, open, error) => {
      await stack.start('gateway');
      const { first, second } = await listTwoGateways(stack);
      const subject = `mcp-${year}`;
      const { key } = await createKey(subject);
      let isKilled = false;
      const client = await open(new URL(`${first}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${key}` } },
        fetch: (url, init) => fetch(new URL(new URL(url).pathname, isKilled ? second : first), init),
      });
      const listStatuses = async () =>
        (await stack.client.runs.list({ subject, agent, limit: 10 })).runs.map(({ status }) => status);
      const calling = client.call(said).catch(String);
      await expect.poll(listStatuses, { timeout: 15_000 }).toEqual(['running']);
      isKilled = true;
      signalGateway(stack, 'last');
      expect(await calling).toMatch(error);
      await expect.poll(listStatuses, { timeout: 15_000 }).toEqual(['finished']);
      const again = await client.call(script({ text: 'Served again.' }));
      expect(again).toMatchObject({ content: [{ type: 'text', text: 'Served again.' }] });
      await client.close();
    },
  );

  test('Another gateway finds the run that waits for the results of the client', async () => {
    await stack.start('gateway');
    const { first, second } = await listTwoGateways(stack);
    const { key } = await createKey('hal');
    const connectTo = (url: string) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const content = script({ text: 'Wait. ', toolCalls: [{ name: 'weather', args: {} }] }, { text: 'It rains.' });
    const request = {
      model: agent,
      tools: [{ type: 'function' as const, function: { name: 'weather' } }],
    };
    const question = { role: 'user' as const, content };
    const asked = await connectTo(first).chat.completions.create({ ...request, messages: [question] });
    const answer = asked.choices[0]?.message;
    const id = answer?.tool_calls?.[0]?.id ?? '';
    if (!answer) throw new Error('no answer');
    signalGateway(stack, 'last');
    const messages = [question, answer, { role: 'tool' as const, tool_call_id: id, content: 'rain' }];
    const next = await connectTo(second).chat.completions.create({ ...request, messages });
    expect(next.choices[0]?.message.content).toBe('It rains.');
    expect(next.id).toBe(asked.id);
  });
});

test('A request that is repeated while its gateway is slow is a run of its own', async () => {
  await stack.start('gateway');
  const { first, second } = await listTwoGateways(stack);
  const { key } = await createKey('slow');
  const messages = [{ role: 'user' as const, content: script({ text: 'Not joined.', chunkSize: 2, delayMs: 100 }) }];
  const ask = async (url: string) => {
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    return (await client.chat.completions.create({ model: agent, messages })).choices[0]?.message.content;
  };
  const listRuns = async () => (await stack.client.runs.list({ agent, subject: 'slow' })).runs;
  const slow = ask(first);
  await expect.poll(async () => (await listRuns()).length, { timeout: 15_000 }).toBe(1);
  signalGateway(stack, 'last', 'SIGSTOP');
  try {
    expect(await ask(second)).toBe('Not joined.');
  } finally {
    signalGateway(stack, 'last', 'SIGCONT');
  }
  expect(await slow).toBe('Not joined.');
  expect(await listRuns()).toHaveLength(2);
});
