// Turns that a client asks again or edits, in the prompt and in the thread: useChat, Open WebUI, the own API.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMessageText } from '@millrace/contracts';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { AbstractChat, DefaultChatTransport, type ChatState, type UIMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-replaced-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const redis = useRedis();
const services = ['auth', 'gateway', 'guardrails', 'message-history', 'semantic-recall', 'working-memory'];
const stack = useStack(
  nats,
  services,
  () => ({
    GATEWAY_PORT: '0',
    REDIS_URL: redis.url,
    EMBEDDING_MODEL: 'openai/hashed-ngram',
    SQLITE_PATH: join(folder, 'vectors.db'),
  }),
  { processes: ['semantic-recall'] },
);
const { bodies } = useModelProxy(stack);
const agent = 'replacing';
let url = '';
let key = '';

beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  const memory = { lastMessages: 20, semanticRecall: { scope: 'thread' as const } };
  const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'forbidden' }] } };
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  await stack.client.agents.apply({ ...base, name: agent, memory, output: [blocking, 'memory'] });
  await stack.client.agents.apply({ ...base, name: 'forgetful' });
  await stack.client.agents.apply({ ...base, name: 'seeing', memory, files: 'pass' });
});
beforeEach(() => void bodies.splice(0));

const completionSchema = z.object({ choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]) });

const createState = (): ChatState<UIMessage> => {
  const state: ChatState<UIMessage> = {
    status: 'ready',
    error: undefined,
    messages: [],
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (at, message) => void (state.messages = state.messages.with(at, message)),
    snapshot: (value) => structuredClone(value),
  };
  return state;
};
class Chat extends AbstractChat<UIMessage> {}
const openChat = (id: string = crypto.randomUUID(), name = agent): Chat => {
  const api = `${url}/v1/agents/${name}/ui`;
  const transport = new DefaultChatTransport({ api, headers: { authorization: `Bearer ${key}` } });
  return new Chat({ id, transport, state: createState() });
};

/** A question with a word of its own, and one answer for each time that it is asked. */
const ask = (word: string, ...texts: string[]): string => `${word} ${script(...texts.map((text) => ({ text })))}`;
const readThread = async (id: string): Promise<string[]> =>
  (await stack.client.threads.messages(id)).messages.map((message) => {
    const [word = ''] = readMessageText(message).split(' ');
    return word;
  });
const post = (path: string, body: object, headers: object = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
/** Counts a word in the messages of the last request to the provider. */
const countInPrompt = (word: string): number => JSON.stringify(bodies.at(-1)).split(word).length - 1;

describe('an answer that is generated again', () => {
  test('useChat replaces the last answer in prompt, thread and recall', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'Oldest.') });
    await chat.sendMessage({ text: ask('Quebec', 'Zulu-one is parked.') });
    await chat.regenerate();
    expect(await readThread(chat.id)).toEqual(['Alpha', 'Oldest.', 'Quebec', 'Zulu-one']);
    // The question once, in its own message; its script has the answer once.
    expect([countInPrompt('Quebec'), countInPrompt('Zulu-one')]).toEqual([1, 1]);
    expect(countInPrompt('Alpha')).toBeGreaterThan(0);
    const { total } = await stack.client.threads.messages(chat.id);
    expect(total).toBe(4);
    const hits = await stack.client.threads.search('Zulu-one is parked.', { resourceId: 'ada', threadId: chat.id });
    expect(hits.filter(({ text }) => text === 'Zulu-one is parked.')).toHaveLength(1);
  });

  test('useChat generates an earlier answer again, and the later turns are gone', async () => {
    const chat = openChat();
    for (const word of ['Alpha', 'Bravo', 'Charlie']) await chat.sendMessage({ text: ask(word, `To-${word} it.`) });
    await chat.regenerate({ messageId: chat.messages[3]?.id ?? '' });
    expect(await readThread(chat.id)).toEqual(['Alpha', 'To-Alpha', 'Bravo', 'To-Bravo']);
    expect([countInPrompt('Charlie'), countInPrompt('Bravo')]).toEqual([0, 2]);
  });

  test('useChat is refused for a last answer that is not the last one, and nothing is lost', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'One.') });
    const other = openChat(chat.id);
    other.messages = structuredClone(chat.messages);
    await other.sendMessage({ text: ask('Bravo', 'Two.') });
    await chat.regenerate();
    expect(chat.error?.message).toContain('state-conflict');
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.', 'Bravo', 'Two.']);
  });

  test('useChat is refused while the question of another page is answered, and that run continues', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'One.') });
    const other = openChat(chat.id);
    other.messages = structuredClone(chat.messages);
    const slow = `Bravo ${script({ text: 'Two. '.repeat(20), chunkSize: 4, delayMs: 50 })}`;
    const answering = other.sendMessage({ text: slow });
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(2);
    await chat.regenerate();
    expect(chat.error?.message).toContain('state-conflict');
    await answering;
    expect(other.error).toBeUndefined();
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.', 'Bravo', 'Two.']);
  });

  test('useChat asks again while its own question is answered, and the first run ends', async () => {
    const chat = openChat();
    const slow = `Alpha ${script({ text: 'One. '.repeat(40), chunkSize: 4, delayMs: 50 })}`;
    const first = chat.sendMessage({ text: slow });
    await expect.poll(() => bodies.length, { timeout: 10_000 }).toBe(1);
    const other = openChat(chat.id);
    other.messages = structuredClone(chat.messages).slice(0, 1);
    await other.regenerate();
    expect(other.error).toBeUndefined();
    await first;
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.']);
  });

  test('useChat asks a question again that was blocked, and keeps an earlier turn with the same words', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'One.') });
    const blocked = { id: 'blocked-question', role: 'user' as const, parts: chat.messages[0]?.parts ?? [] };
    chat.messages = [...chat.messages, blocked];
    await chat.regenerate();
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.', 'Alpha', 'One.']);
    await chat.regenerate();
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.', 'Alpha', 'One.']);
  });

  test('A run that is blocked keeps the old answer', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'One.') });
    const { messages } = await stack.client.threads.messages(chat.id);
    const replaces = messages.map(({ id }) => id);
    const path = `/v1/agents/${agent}/runs?wait=20`;
    const body = { input: ask('Alpha', 'forbidden'), threadId: chat.id, replaces };
    expect(await (await post(path, body)).json()).toMatchObject({ status: 'aborted' });
    expect(await readThread(chat.id)).toEqual(['Alpha', 'One.']);
  });

  test.each([
    ['the first answer', []],
    ['a later answer', [ask('Alpha', 'One.')]],
  ])('Open WebUI replaces %s, if its request ends with the question', async (_case, earlier) => {
    const chat = crypto.randomUUID();
    const said: { role: string; content: string }[] = [{ role: 'system', content: 'Be brief.' }];
    const complete = async (content: string) => {
      said.push({ role: 'user', content });
      const answer = await post(
        '/v1/chat/completions',
        { model: agent, messages: said },
        { 'x-openwebui-chat-id': chat },
      );
      expect(answer.status).toBe(200);
      const { choices } = completionSchema.parse(await answer.json());
      said.push({ role: 'assistant', content: choices[0].message.content });
    };
    for (const question of earlier) await complete(question);
    await complete(ask('Quebec', 'Zulu-one.'));
    const before = await readThread(chat);
    said.splice(-2);
    await complete(ask('Quebec', 'Zulu-one.'));
    expect(await readThread(chat)).toEqual(before);
    expect([countInPrompt('Quebec'), countInPrompt('Zulu-one')]).toEqual([1, 1]);
  });

  test('Open WebUI with an older state of the chat loses no turn of another page', async () => {
    const chat = crypto.randomUUID();
    const complete = (...texts: string[]) => {
      const messages = texts.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }));
      return post('/v1/chat/completions', { model: agent, messages }, { 'x-openwebui-chat-id': chat });
    };
    const [first, second, third] = [ask('Alpha', 'One.'), ask('Bravo', 'Two.'), ask('Charlie', 'Three.')] as const;
    await complete(first);
    await complete(first, 'One.', second);
    await complete(first, 'One.', third);
    await complete(first, 'One.', second);
    expect(await readThread(chat)).toEqual(['Alpha', 'One.', 'Bravo', 'Two.', 'Charlie', 'Three.', 'Bravo', 'Two.']);
  });

  test('Open WebUI appends a question that has the words of the turn before it', async () => {
    const chat = crypto.randomUUID();
    const said: { role: string; content: string }[] = [];
    for (let turn = 1; turn <= 3; turn += 1) {
      said.push({ role: 'user', content: ask('Next', 'Zulu.') });
      await post('/v1/chat/completions', { model: agent, messages: said }, { 'x-openwebui-chat-id': chat });
      said.push({ role: 'assistant', content: 'Zulu.' });
      expect((await readThread(chat)).join(' ')).toBe('Next Zulu. '.repeat(turn).trim());
    }
  });

  test('A chat completion with the words of a question and another file replaces no turn, and with its file the turn', async () => {
    const chat = crypto.randomUUID();
    const complete = (...turns: string[]) => {
      const messages = turns.flatMap((data) => {
        const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
        const question = { role: 'user', content: [{ type: 'text', text: ask('Look', 'Zulu.') }, image] };
        return [{ role: 'assistant', content: 'Zulu.' }, question];
      });
      const body = { model: 'seeing', messages: messages.slice(1) };
      return post('/v1/chat/completions', body, { 'x-openwebui-chat-id': chat });
    };
    for (const turns of [['iVBORw0KGgo='], ['iVBORw0KGgoA'], ['iVBORw0KGgo=', 'iVBORw0KGgoA']])
      expect((await complete(...turns)).status).toBe(200);
    expect(await readThread(chat)).toEqual(['Look', 'Zulu.', 'Look', 'Zulu.']);
  });

  test('The own API names the messages, and is refused for another end of the thread, and without a history', async () => {
    const threadId = crypto.randomUUID();
    const start = async (name: string, body: object) =>
      (await post(`/v1/agents/${name}/runs?wait=20`, { threadId, ...body })).json();
    await start(agent, { input: ask('Alpha', 'One.') });
    const listIds = async () => (await stack.client.threads.messages(threadId)).messages.map(({ id }) => id);
    const old = await listIds();
    expect(await start(agent, { input: ask('Bravo', 'Two.'), replaces: old.slice(1) })).toMatchObject({
      status: 'finished',
    });
    expect(await readThread(threadId)).toEqual(['Alpha', 'Bravo', 'Two.']);
    const conflict = { status: 'failed', error: { code: 'state-conflict' } };
    expect(await start(agent, { input: 'Again.', replaces: old })).toMatchObject(conflict);
    expect(await start('forgetful', { input: 'Again.', replaces: old })).toMatchObject({ code: 'run-refused' });
    expect(await start(agent, { input: 'Again.', replaces: Array(201).fill('x') })).toMatchObject({ status: 400 });
    expect(await readThread(threadId)).toEqual(['Alpha', 'Bravo', 'Two.']);
  });
});

describe('a message that is edited', () => {
  test('useChat cuts prompt, thread and recall at the message', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'Oldest.') });
    await chat.sendMessage({ text: ask('Quebec', 'Zulu is parked.') });
    await chat.sendMessage({ text: ask('Romeo', 'Later.') });
    await chat.sendMessage({ text: ask('Tango', 'Edited.'), messageId: chat.messages[2]?.id ?? '' });
    expect(await readThread(chat.id)).toEqual(['Alpha', 'Oldest.', 'Tango', 'Edited.']);
    for (const word of ['Quebec', 'Zulu', 'Romeo', 'Later']) expect([word, countInPrompt(word)]).toEqual([word, 0]);
    const hits = await stack.client.threads.search('Zulu is parked.', { resourceId: 'ada', threadId: chat.id });
    expect(hits.map(({ text }) => text)).not.toContain('Zulu is parked.');
  });

  test('useChat stores the other file of an edited message with the same text', async () => {
    const chat = openChat(crypto.randomUUID(), 'seeing');
    const text = ask('Look', 'Zulu.');
    const makeFiles = (data: string) => [
      { type: 'file' as const, mediaType: 'image/png', url: `data:image/png;base64,${data}` },
    ];
    await chat.sendMessage({ text, files: makeFiles('iVBORw0KGgo=') });
    await chat.sendMessage({ text, files: makeFiles('iVBORw0KGgoA'), messageId: chat.messages[0]?.id ?? '' });
    const { messages } = await stack.client.threads.messages(chat.id);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(JSON.stringify(messages)).toContain('iVBORw0KGgoA');
    expect(JSON.stringify(messages)).not.toContain('iVBORw0KGgo=');
    await chat.regenerate();
    expect(await readThread(chat.id)).toEqual(['Look', 'Zulu.']);
  });

  test('The same id with another text is an edit without a name, and with the same text it is none', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: ask('Alpha', 'One.') });
    const [question] = chat.messages;
    const send = (text: string) =>
      post(`/v1/agents/${agent}/ui`, {
        id: chat.id,
        messages: [{ ...question, parts: [{ type: 'text', text }] }],
        trigger: 'submit-message',
      }).then((response) => response.text());
    await send(ask('Bravo', 'Two.'));
    expect(await readThread(chat.id)).toEqual(['Bravo', 'Two.']);
    const headers = { authorization: `Bearer ${key}` };
    const loaded = await fetch(`${url}/v1/agents/${agent}/ui/${chat.id}/messages`, { headers });
    expect(await loaded.json()).toMatchObject({ messages: [{ id: question?.id }, {}] });
  });
});
