// Calls and results as they reach the model's provider, in both of its protocols: those of a history that a client sends, and those of a
// model whose ids repeat.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';
import { script, type ScriptElement } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-faithful-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['auth', 'gateway', 'tools', 'message-history'], () => ({
  GATEWAY_PORT: '0',
  SQLITE_PATH: join(folder, 'memory.db'),
}));
const { bodies } = useModelProxy(stack);
const MODELS = { responses: 'openai/gpt-5-mini', chat: 'openai-chat/gpt-5-mini' } as const;
let url = '';
let key = '';

beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  for (const [name, model] of Object.entries(MODELS)) {
    const agent = { model, instructions: 'Answer.', tools: ['calculator'], clientTools: true, flushMs: 0 };
    await stack.client.agents.apply({ ...agent, name: `plain-${name}` });
    await stack.client.agents.apply({ ...agent, name: `memory-${name}`, memory: { lastMessages: 20 } });
  }
});

/** The calls of a provider's request with the texts of their results, in order. */
type SentCall = { id: string; args: string; result: string | undefined };
const requestSchema = z.object({
  input: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        call_id: z.string().optional(),
        arguments: z.string().optional(),
        output: z.string().optional(),
      }),
    )
    .optional(),
  messages: z
    .array(
      z.looseObject({
        tool_call_id: z.string().optional(),
        content: z.unknown(),
        tool_calls: z.array(z.object({ id: z.string(), function: z.object({ arguments: z.string() }) })).optional(),
      }),
    )
    .optional(),
});

function listSent(body: unknown): SentCall[] {
  const { input = [], messages = [] } = requestSchema.parse(body);
  const results = new Map([
    ...input.flatMap(({ type, call_id: id = '', output = '' }) =>
      type === 'function_call_output' ? [[id, output] as const] : [],
    ),
    ...messages.flatMap(({ tool_call_id: id, content }) => (id === undefined ? [] : [[id, String(content)] as const])),
  ]);
  const calls = [
    ...input.flatMap(({ type, call_id: id = '', arguments: args = '' }) =>
      type === 'function_call' ? [{ id, args }] : [],
    ),
    ...messages.flatMap(({ tool_calls: made = [] }) =>
      made.map(({ id, function: called }) => ({ id, args: called.arguments })),
    ),
  ];
  return calls.map(({ id, args }) => ({ id, args, result: results.get(id) }));
}

const connect = () => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
type Call = { id: string; city: string; result: string };
/** Two answers: the second one has a call twice under the id of the first one. */
const TURNS: Call[][] = [
  [{ id: 'get_weather:0', city: 'Paris', result: 'line 1\nline "2"' }],
  [
    { id: 'get_weather:0', city: 'Rome', result: 'ROME' },
    { id: 'get_weather:0', city: 'Oslo', result: 'OSLO' },
  ],
];
const writeArgs = (city: string): string => JSON.stringify({ city });
const CLOSING = script({ text: 'Done.' });

const askChat = (model: string) =>
  connect().chat.completions.create({
    model,
    messages: [
      ...TURNS.flatMap((calls) => [
        { role: 'user' as const, content: 'The weather?' },
        {
          role: 'assistant' as const,
          tool_calls: calls.map(({ id, city }) => ({
            id,
            type: 'function' as const,
            function: { name: 'get_weather', arguments: writeArgs(city) },
          })),
        },
        ...calls.map(({ id, result }) => ({ role: 'tool' as const, tool_call_id: id, content: result })),
      ]),
      { role: 'user', content: CLOSING },
    ],
  });
const askResponses = (model: string) =>
  connect().responses.create({
    model,
    input: [
      ...TURNS.flatMap((calls) => [
        { role: 'user' as const, content: 'The weather?' },
        ...calls.map(({ id, city }) => ({
          type: 'function_call' as const,
          call_id: id,
          name: 'get_weather',
          arguments: writeArgs(city),
        })),
        ...calls.map(({ id, result }) => ({ type: 'function_call_output' as const, call_id: id, output: result })),
      ]),
      { role: 'user', content: CLOSING },
    ],
  });
async function askPage(model: string): Promise<void> {
  const messages = [
    ...TURNS.flatMap((calls, at) => [
      { id: `q${at}`, role: 'user', parts: [{ type: 'text', text: 'The weather?' }] },
      {
        id: `a${at}`,
        role: 'assistant',
        parts: calls.map(({ id, city, result }) => ({
          type: 'tool-get_weather',
          toolCallId: id,
          state: 'output-available',
          input: { city },
          output: result,
        })),
      },
    ]),
    { id: 'closing', role: 'user', parts: [{ type: 'text', text: CLOSING }] },
  ];
  const response = await fetch(`${url}/v1/agents/${model}/ui`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: crypto.randomUUID(), messages }),
  });
  const answer = await response.text();
  if (!answer.includes('"finish"')) throw new Error(answer);
}

/** Returns the message as the reader of the AI SDK builds it for a page that has the tool "weather". */
async function readPage(model: string, text: string): Promise<UIMessage> {
  const chat = new DefaultChatTransport({
    api: `${url}/v1/agents/${model}/ui`,
    headers: { authorization: `Bearer ${key}` },
    body: { clientTools: [{ name: 'weather' }] },
  });
  const stream = await chat.sendMessages({
    trigger: 'submit-message',
    chatId: crypto.randomUUID(),
    messageId: undefined,
    messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text }] }],
    abortSignal: undefined,
  });
  let last: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream })) last = message;
  if (!last) throw new Error('no message');
  return last;
}

describe.each(Object.keys(MODELS))('in requests of the protocol %s', (protocol) => {
  test.each([
    ['chat completions', askChat],
    ['responses', askResponses],
    ['useChat', askPage],
  ])(
    'A history of %s whose ids repeat has each call with its own result, and a text result as that text',
    async (_name, ask) => {
      bodies.length = 0;
      await ask(`plain-${protocol}`);
      const sent = listSent(bodies[0]);
      expect(sent.map(({ args, result }) => [args, result])).toEqual(
        TURNS.flat().map(({ city, result }) => [writeArgs(city), result]),
      );
      expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    },
  );

  test('A model that counts the calls of each answer from zero reads each call with its own result, over the runs of a thread', async () => {
    const sum = (expression: string) => ({ id: 'calculator:0', name: 'calculator', args: { expression } });
    const ask = async (...said: ScriptElement[]) => {
      const run = await stack.client.start(`memory-${protocol}`, script(...said), { threadId: `counting-${protocol}` });
      return run.result();
    };
    await ask({ toolCalls: [sum('1 + 1'), sum('1 + 2')] }, { toolCalls: [sum('1 + 3')] }, { text: 'Done.' });
    bodies.length = 0;
    const { steps } = await ask({ toolCalls: [sum('1 + 4')] }, { text: 'Done.' });
    const sent = listSent(bodies.at(-1));
    expect(sent.map(({ args, result = '' }) => [args, JSON.parse(result)])).toMatchObject(
      [1, 2, 3, 4].map((n) => [JSON.stringify({ expression: `1 + ${n}` }), { result: n + 1 }]),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
    expect(steps[0]?.toolCalls[0]?.toolCallId).toBe(sent[3]?.id);
  });

  test('A whole call of an answer that ended with length is not made, and the model and a page learn the reason', async () => {
    bodies.length = 0;
    const calls = [
      { name: 'calculator', args: { expression: '1 + 1' } },
      { name: 'weather', args: { city: 'Oslo' } },
      { name: 'calculator', args: '{"expression": "2 +' },
    ];
    const said = script({ text: 'Let me', toolCalls: calls, finish: 'length' }, { text: 'Two.' });
    const message = await readPage(`plain-${protocol}`, said);
    const shown = message.parts.flatMap((part) =>
      part.type === 'dynamic-tool' && part.state !== 'input-streaming'
        ? [[part.toolName, part.state, part.errorText]]
        : [],
    );
    const reason = (tool: string) => `The answer reached its token limit, so ${tool} was not called.`;
    expect(shown).toEqual(
      ['calculator', 'weather'].map((tool) => [tool, 'output-error', expect.stringContaining(reason(tool))]),
    );
    expect(message.parts.filter(({ type }) => type === 'text').map((part) => Object(part).text)).toEqual([
      'Let me',
      'Two.',
    ]);
    const sent = listSent(bodies[1]);
    expect(sent.map(({ result = '' }) => result)).toEqual(
      ['calculator', 'weather'].map((tool) => expect.stringContaining(reason(tool))),
    );
  });
});
