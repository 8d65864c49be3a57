// Arguments and results of tools arrive byte for byte: from a history, a model and a client to the client, the tool, the
// thread and the next prompt, over a suspension and over another orchestrator. docs/semantics.md, "The text of values".
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sampleObjectTexts } from '@millrace/contracts/testing';
import { useNats, useStack } from '@millrace/testkit';
import { DefaultChatTransport } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-texts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const services = ['auth', 'gateway', 'message-history'];
const environment = () => ({ GATEWAY_PORT: '0', SQLITE_PATH: join(folder, 'memory.db') });
const stack = useStack(nats, services, environment, { processes: ['orchestrator'] });
const { bodies, startOrchestrator } = useModelProxy(stack);
const MODELS = { responses: 'openai/gpt-5-mini', chat: 'openai-chat/gpt-5-mini' } as const;
let url = '';
let key = '';

beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  await stack.startProgram('texts', join(import.meta.dirname, 'texts-tool.ts'));
  for (const [name, model] of Object.entries(MODELS)) {
    const agent = { model, instructions: 'Answer.', tools: ['echo-text'], clientTools: true, flushMs: 0 };
    await stack.client.agents.apply({ ...agent, name: `plain-${name}` });
    await stack.client.agents.apply({ ...agent, name: `memory-${name}`, memory: { lastMessages: 200 } });
  }
});

const COUNT = 60;
/** As many texts as one request has calls. A text with a member twice is a string, which no schema of a tool accepts. */
const ARGS = sampleObjectTexts(COUNT, 1, { hasDuplicates: false });
const RESULTS = sampleObjectTexts(COUNT, 2, { hasDuplicates: false });
const HISTORY = { args: sampleObjectTexts(COUNT, 3), results: sampleObjectTexts(COUNT, 4) };

const partSchema = z.looseObject({
  arguments: z.string().optional(),
  output: z.string().optional(),
  content: z.unknown().optional(),
  role: z.string().optional(),
  tool_calls: z.array(z.object({ function: z.object({ arguments: z.string() }) })).optional(),
});
const requestSchema = z.object({ input: z.array(partSchema).optional(), messages: z.array(partSchema).optional() });

/** The texts of a request to the provider, in order. */
function listSent(body: unknown): { args: string[]; results: string[] } {
  const { input = [], messages = [] } = requestSchema.parse(body);
  const calls = messages.flatMap(({ tool_calls: made = [] }) => made.map(({ function: called }) => called.arguments));
  return {
    args: [...input.flatMap(({ arguments: args = [] }) => args), ...calls],
    results: [
      ...input.flatMap(({ output = [] }) => output),
      ...messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
    ],
  };
}

const connect = () => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const CLOSING = script({ text: 'Done.' });
const callAll = (name: string) => script({ toolCalls: ARGS.map((args) => ({ name, args })) }, { text: 'Done.' });
const weather = { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } };

/** Posts the JSON of a page: an object with texts in the places of `"@0"`, `"@1"` and so on. */
async function postPage(agent: string, body: object, texts: readonly string[]): Promise<string> {
  const json = JSON.stringify(body).replaceAll(/"@(\d+)"/g, (_, at: string) => texts[Number(at)] ?? '');
  const answer = await fetch(`${url}/v1/agents/${agent}/ui`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: json,
  });
  return answer.text();
}

/** Returns the data of each event of server-sent events. */
const readEvents = (stream: string): string[] =>
  stream.split('\n\n').map((event) =>
    event
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      .join('\n'),
  );

/** Returns the arguments of the calls as the client of useChat reads the stream. */
async function readInputs(stream: string): Promise<unknown[]> {
  const transport = new DefaultChatTransport({ api: 'http://page', fetch: async () => new Response(stream) });
  const chunks = await transport.sendMessages({
    trigger: 'submit-message',
    chatId: 'c',
    messageId: undefined,
    messages: [],
    abortSignal: undefined,
  });
  const read = await Array.fromAsync(chunks);
  return read.flatMap((chunk) => (chunk.type === 'tool-input-available' ? [chunk.input] : []));
}

describe.each(Object.keys(MODELS))('the texts of calls, with a provider of the protocol %s,', (protocol) => {
  const agent = `plain-${protocol}`;

  test('reach the next prompt from a history of chat completions', async () => {
    bodies.length = 0;
    const { args, results } = HISTORY;
    await connect().chat.completions.create({
      model: agent,
      messages: [
        { role: 'user', content: 'The weather?' },
        {
          role: 'assistant',
          tool_calls: args.map((text, at) => ({
            id: `c${at}`,
            type: 'function' as const,
            function: { name: 'weather', arguments: text },
          })),
        },
        ...results.map((content, at) => ({ role: 'tool' as const, tool_call_id: `c${at}`, content })),
        { role: 'user', content: CLOSING },
      ],
    });
    expect(listSent(bodies[0])).toEqual(HISTORY);
  });

  test('reach the next prompt from a history of responses', async () => {
    bodies.length = 0;
    const { args, results } = HISTORY;
    await connect().responses.create({
      model: agent,
      input: [
        { role: 'user', content: 'The weather?' },
        ...args.map((text, at) => ({
          type: 'function_call' as const,
          call_id: `c${at}`,
          name: 'weather',
          arguments: text,
        })),
        ...results.map((output, at) => ({ type: 'function_call_output' as const, call_id: `c${at}`, output })),
        { role: 'user', content: CLOSING },
      ],
    });
    expect(listSent(bodies[0])).toEqual(HISTORY);
  });

  test(
    'reach a client of chat completions, and the next prompt after its results and another orchestrator',
    { timeout: 120_000 },
    async () => {
      const first = [{ role: 'user' as const, content: callAll('weather') }];
      const { choices } = await connect().chat.completions.create({ model: agent, messages: first, tools: [weather] });
      const { message } = choices[0] ?? {};
      const calls = message?.tool_calls?.flatMap((call) => (call.type === 'function' ? [call] : [])) ?? [];
      expect(calls.map(({ function: called }) => called.arguments)).toEqual(ARGS);
      await stack.signal('orchestrator', 'SIGKILL');
      await startOrchestrator();
      bodies.length = 0;
      await connect().chat.completions.create({
        model: agent,
        messages: [
          ...first,
          { role: 'assistant', tool_calls: calls },
          ...calls.map(({ id }, at) => ({ role: 'tool' as const, tool_call_id: id, content: RESULTS[at] ?? '' })),
        ],
        tools: [weather],
      });
      expect(listSent(bodies.at(-1))).toEqual({ args: ARGS, results: RESULTS });
    },
  );

  test('reach a streaming client of responses, and the next prompt after its results', async () => {
    const tools = [{ type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: false }];
    const stream = connect().responses.stream({ model: agent, input: callAll('weather'), tools });
    const { output, id } = await stream.finalResponse();
    const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(calls.map(({ arguments: args }) => args)).toEqual(ARGS);
    bodies.length = 0;
    await connect().responses.create({
      model: agent,
      previous_response_id: id,
      input: calls.map(({ call_id: of }, at) => ({
        type: 'function_call_output' as const,
        call_id: of,
        output: RESULTS[at] ?? '',
      })),
      tools,
    });
    expect(listSent(bodies.at(-1))).toEqual({ args: ARGS, results: RESULTS });
  });

  test('reach a page, and the next prompt after its results', async () => {
    const chat = { id: crypto.randomUUID(), clientTools: [{ name: 'weather' }] };
    const first = { id: 'm1', role: 'user', parts: [{ type: 'text', text: callAll('weather') }] };
    const stream = await postPage(agent, { ...chat, messages: [first] }, []);
    const events = readEvents(stream).filter((data) => data.includes('"tool-input-available"'));
    const shown = events.map((line) => /"toolCallId":"([\w-]+)".*?"input":(\{.*\}),"dynamic"/s.exec(line));
    expect(shown.map((found) => found?.[2])).toEqual(ARGS);
    const parts = shown.map((found, at) => ({
      type: 'dynamic-tool',
      toolName: 'weather',
      toolCallId: found?.[1] ?? '',
      state: 'output-available',
      input: `@${COUNT + at}`,
      output: `@${at}`,
    }));
    const answer = { id: 'm2', role: 'assistant', parts };
    const inputs = await readInputs(stream);
    expect(inputs).toEqual(ARGS.map((text): unknown => JSON.parse(text)));
    bodies.length = 0;
    expect(await postPage(agent, { ...chat, messages: [first, answer] }, [...RESULTS, ...ARGS])).toContain('"finish"');
    expect(listSent(bodies.at(-1))).toEqual({ args: ARGS, results: RESULTS });
  });

  test('reach the next prompt from the history of a page', async () => {
    const { args, results } = { args: ARGS, results: RESULTS };
    const parts = args.map((_, at) => ({
      type: 'tool-weather',
      toolCallId: `c${at}`,
      state: 'output-available',
      input: `@${at}`,
      output: `@${COUNT + at}`,
    }));
    const messages = [
      { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'The weather?' }] },
      { id: 'm2', role: 'assistant', parts },
      { id: 'm3', role: 'user', parts: [{ type: 'text', text: CLOSING }] },
    ];
    bodies.length = 0;
    const answer = await postPage(agent, { id: crypto.randomUUID(), messages }, [...args, ...results]);
    expect(answer).toContain('"finish"');
    expect(listSent(bodies[0])).toEqual({ args, results });
  });

  test('reach a tool, the next prompt, and the prompt of a later run of the thread', async () => {
    const thread = { threadId: `texts-${protocol}` };
    bodies.length = 0;
    const run = await stack.client.start(`memory-${protocol}`, callAll('echo-text'), thread);
    expect(await run.result()).toMatchObject({ status: 'finished' });
    // The tool returns the text of its arguments as its result.
    expect(listSent(bodies.at(-1))).toEqual({ args: ARGS, results: ARGS });
    bodies.length = 0;
    const later = await stack.client.start(`memory-${protocol}`, CLOSING, thread);
    expect(await later.result()).toMatchObject({ status: 'finished' });
    expect(listSent(bodies.at(-1))).toEqual({ args: ARGS, results: ARGS });
  });
});

test('An output of a page with a member twice is refused with its path', async () => {
  const part = { type: 'tool-weather', toolCallId: 'c1', state: 'output-available', input: '@0', output: '@1' };
  const messages = [
    { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'The weather?' }] },
    { id: 'm2', role: 'assistant', parts: [part] },
    { id: 'm3', role: 'user', parts: [{ type: 'text', text: CLOSING }] },
  ];
  const answer = await postPage('plain-chat', { id: 'twice', messages }, ['{}', '{"a":1,"a":2}']);
  expect(JSON.parse(answer)).toMatchObject({
    status: 400,
    code: 'message-invalid',
    path: 'messages[1].parts[0].output',
  });
});
