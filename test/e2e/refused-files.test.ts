// `files` of an agent: each protocol of callers with each value of the option. The model's provider receives no file that the agent does not
// accept, whether a caller, a thread or a processor supplies it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTextMessage, type Message, type MessagePart } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['guardrails', 'auth', 'gateway', 'message-history'], () => ({
  GATEWAY_PORT: '0',
  SQLITE_PATH: join(folder, 'memory.db'),
}));
const { bodies } = useModelProxy(stack);

type File = Extract<MessagePart, { type: 'file' }>;
const makeFile = (mimeType: string, data: string): File => ({ type: 'file', mimeType, data });
const PNG = 'iVBORw0KGgo=';
const FILES = {
  image: makeFile('image/png', PNG),
  document: makeFile('application/pdf', 'JVBERi0xLjQ='),
  text: makeFile('text/plain', btoa('A plain text.')),
  'JSON text': makeFile('application/json', btoa('{"a":1}')),
  'image of a text type': makeFile('text/plain', PNG),
  'text of another encoding': makeFile('text/plain', btoa('Caf\u{e9}')),
  'text with null characters': makeFile('text/plain', btoa('\0A\0B')),
  'URL of an image': makeFile('image/png', 'https://example.com/a.png'),
  'URL of a text': makeFile('text/plain', 'https://example.com/a.txt'),
} as const;
type FileName = keyof typeof FILES;
const FILE_NAMES: readonly FileName[] = Object.keys(FILES).filter((name): name is FileName => name in FILES);
const READABLE: ReadonlySet<string> = new Set<FileName>(['text', 'JSON text']);

/** The client of the model's provider has a form for them; it refuses the others. */
const ASKED: ReadonlySet<string> = new Set<FileName>(['image', 'document', 'URL of an image', 'URL of a text']);

/** Agents by the option, and the files that they accept. */
const AGENTS = {
  'guarded-default': { guarded: true, accepts: () => false },
  'guarded-refuse': { guarded: true, files: 'refuse', accepts: () => false },
  'guarded-text': { guarded: true, files: 'text', accepts: (name: FileName) => READABLE.has(name) },
  'guarded-pass': { guarded: true, files: 'pass', accepts: () => true },
  'plain-default': { guarded: false, accepts: () => true },
  'plain-refuse': { guarded: false, files: 'refuse', accepts: () => false },
  'plain-text': { guarded: false, files: 'text', accepts: (name: FileName) => READABLE.has(name) },
} as const;
const AGENT_NAMES = Object.keys(AGENTS).filter((name): name is keyof typeof AGENTS => name in AGENTS);

const options = z.strictObject({});
const adding = defineProcessor({
  id: 'adding',
  description: 'adds an image to the messages',
  stages: ['processInput'],
  reads: ['input'],
  options,
  create: () => ({
    id: 'adding',
    processInput: ({ messages }) => [...messages, withParts('added', 'user', [FILES.image])],
  }),
});
const prompting = defineProcessor({
  id: 'prompting',
  description: 'adds an image to the prompt',
  stages: ['processLLMRequest'],
  reads: ['prompt'],
  options,
  create: () => ({
    id: 'prompting',
    processLLMRequest: ({ prompt }) => ({
      prompt: [
        ...prompt,
        {
          role: 'user' as const,
          content: [{ type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: PNG } }],
        },
      ],
    }),
  }),
});
useProcessors(nats, [adding, prompting]);

const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
const guards = [{ use: 'keyword', options: { keywords: ['forbidden'] } }];
let url = '';
let key = '';
beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  for (const name of AGENT_NAMES) {
    const { guarded, accepts: _, ...more } = AGENTS[name];
    await stack.client.agents.apply({ ...base, name, ...(guarded && { input: guards }), ...more });
  }
});

function withParts(id: string, role: Message['role'], parts: MessagePart[]): Message {
  return { ...buildTextMessage(id, role, ''), content: { format: 2, parts } };
}

const looking = { type: 'text' as const, text: 'Look.' };
const makeUrl = ({ data, mimeType }: File) => (data.startsWith('http') ? data : `data:${mimeType};base64,${data}`);
const isImage = ({ mimeType }: File) => mimeType.startsWith('image/');
const post = async (path: string, body: object): Promise<string> => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
};

/** Sends the file in the last message of the user, or in an earlier one. */
type Send = (agent: string, file: File, isEarlier: boolean) => Promise<unknown>;
const connect = () => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const DOORS: Record<string, Send> = {
  'chat completions': (model, file, isEarlier) => {
    const part = isImage(file)
      ? { type: 'image_url' as const, image_url: { url: makeUrl(file) } }
      : { type: 'file' as const, file: { filename: 'a', file_data: makeUrl(file) } };
    const first = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Look.' }, part] };
    const later = [
      { role: 'assistant' as const, content: 'Yes.' },
      { role: 'user' as const, content: 'And now?' },
    ];
    return connect().chat.completions.create({ model, messages: isEarlier ? [first, ...later] : [first] });
  },
  responses: (model, file, isEarlier) => {
    const part = isImage(file)
      ? { type: 'input_image' as const, image_url: makeUrl(file), detail: 'auto' as const }
      : { type: 'input_file' as const, filename: 'a', file_data: makeUrl(file) };
    const first = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Look.' }, part] };
    const later = [
      { role: 'assistant' as const, content: 'Yes.' },
      { role: 'user' as const, content: 'And now?' },
    ];
    return connect().responses.create({ model, input: isEarlier ? [first, ...later] : [first] });
  },
  useChat: async (agent, file, isEarlier) => {
    const part = { type: 'file', mediaType: file.mimeType, url: makeUrl(file) };
    const first = { id: 'm1', role: 'user', parts: [looking, part] };
    const later = [
      { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] },
      { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
    ];
    const messages = isEarlier ? [first, ...later] : [first];
    const answer = await post(`/v1/agents/${agent}/ui`, { id: crypto.randomUUID(), messages });
    if (answer.includes('"type":"error"')) throw new Error(answer);
  },
  'the own API': async (agent, file, isEarlier) => {
    const answer = await post(`/v1/agents/${agent}/runs?wait=30`, { input: makeMessages(file, isEarlier) });
    if (answer.includes('"status":"failed"')) throw new Error(answer);
  },
  NATS: async (agent, file, isEarlier) => {
    const { error } = await stack.client.generate(agent, makeMessages(file, isEarlier));
    if (error) throw new Error(error.message);
  },
};
function makeMessages(file: File, isEarlier: boolean): Message[] {
  const first = withParts('m1', 'user', [looking, file]);
  return isEarlier
    ? [first, buildTextMessage('m2', 'assistant', 'Yes.'), buildTextMessage('m3', 'user', 'And now?')]
    : [first];
}

const lastBody = () => JSON.stringify(bodies.at(-1));
const REFUSED = /accepts (?:no files|only files that its processors read)/;
const CASES = Object.keys(DOORS).flatMap((door) => AGENT_NAMES.map((agent) => [door, agent] as const));

/** Returns the text of the error, with its remedy. */
const describeError = (error: unknown) =>
  error instanceof Error ? `${error.message} ${Reflect.get(error, 'remedy')}` : '';

describe.each(CASES)('Over %s, the agent %s', (door, agent) => {
  test.each(FILE_NAMES)('accepts or refuses by name: %s', async (name) => {
    const accepted = AGENTS[agent].accepts(name);
    for (const isEarlier of [false, true]) {
      bodies.length = 0;
      const outcome = await DOORS[door]?.(agent, FILES[name], isEarlier).then(() => '', describeError);
      const seen = {
        refused: REFUSED.test(outcome ?? ''),
        remedied: outcome?.includes('files: pass'),
        asked: bodies.length > 0,
        arrived: JSON.stringify(bodies).includes(FILES[name].data),
      };
      const arrived = accepted && ASKED.has(name);
      expect(seen).toEqual({ refused: !accepted, remedied: !accepted, asked: arrived, arrived });
    }
  });
});

const OMITTED =
  /\[A file of the type image\/png is omitted here: this agent accepts (?:no files|only files of text)\.\]/;

describe.each(['refuse', 'text', 'pass'] as const)('With `files: %s`', (files) => {
  const hasFile = files === 'pass';
  const seeFile = () => ({ file: lastBody().includes(PNG), omitted: OMITTED.test(lastBody()) });

  test('the path of a refusal names the part of the message', async () => {
    const outcome = await stack.client.start(`guarded-${files}`, makeMessages(FILES.image, false)).then(
      () => ({}),
      (error: unknown) => error,
    );
    const refusal = { code: 'run-refused', path: 'messages[0].content.parts[1]' };
    expect(outcome).toMatchObject(hasFile ? {} : refusal);
  });

  test('an image in the stored thread of the agent is a text that names the omission', async () => {
    const name = `thread-${files}`;
    const agent = { ...base, name, input: guards, memory: { lastMessages: 20 } };
    await stack.client.agents.apply({ ...agent, files: 'pass' });
    await stack.client.generate(name, makeMessages(FILES.image, false), { threadId: name });
    expect(lastBody()).toContain(PNG);
    await stack.client.agents.apply({ ...agent, files });
    await stack.client.generate(name, 'And now?', { threadId: name });
    expect(lastBody()).toContain('And now?');
    expect(seeFile()).toEqual({ file: hasFile, omitted: !hasFile });
  });

  test.each(['adding', 'prompting'])(
    'an image that the processor %s adds is a text that names the omission',
    async (use) => {
      const name = `${use}-${files}`;
      await stack.client.agents.apply({ ...base, name, input: [use], files });
      await stack.client.generate(name, 'Hello.');
      expect(seeFile()).toEqual({ file: hasFile, omitted: !hasFile });
    },
  );
});

test('The plan of an agent has the default that applies to it', async () => {
  const read = async (name: string) => (await stack.client.agents.get(name)).plan.files;
  expect(await read('guarded-default')).toBe('refuse');
  expect(await read('plain-default')).toBeUndefined();
  const observing = { ...base, name: 'observing', input: [{ use: 'pii', observe: true }] };
  expect((await stack.client.agents.apply(observing)).applied.plan.files).toBeUndefined();
});
