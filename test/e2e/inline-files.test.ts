// Files that the unchanged openai client, and a page with useChat, send inline: the model's provider receives their bytes, and guards read
// those of text types.
import { useNats, useStack } from '@millrace/testkit';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { createUserKey, listGatewayUrls } from './gateways.ts';
import { useModelProxy } from './model-proxy.ts';

const nats = useNats();
const stack = useStack(nats, ['guardrails', 'auth', 'gateway'], () => ({ GATEWAY_PORT: '0' }));
const { bodies } = useModelProxy(stack);
const agent = 'looking';
const guarded = 'reading';
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'data:application/pdf;base64,JVBERi0xLjQ=';
let url = '';
let key = '';

beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  await stack.client.agents.apply({ ...base, name: agent });
  const keyword = { use: 'regex-filter', options: { rules: [{ pattern: 'forbidden' }] } };
  const input = [keyword, { use: 'pii', options: { strategy: 'block' } }];
  await stack.client.agents.apply({ ...base, name: guarded, input, files: 'text' });
});

type File = { type: string; data: string };
type Ask = (model: string, file: File) => Promise<unknown>;

const connect = () => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
const askChat: Ask = (model, { type, data }) => {
  const part = type.startsWith('image/')
    ? { type: 'image_url' as const, image_url: { url: data } }
    : { type: 'file' as const, file: { filename: 'a', file_data: data } };
  const content = [{ type: 'text' as const, text: 'Look.' }, part];
  return connect().chat.completions.create({ model, messages: [{ role: 'user', content }] });
};
const askResponses: Ask = (model, { type, data }) => {
  const part = type.startsWith('image/')
    ? { type: 'input_image' as const, image_url: data, detail: 'auto' as const }
    : { type: 'input_file' as const, filename: 'a', file_data: data };
  const content = [{ type: 'input_text' as const, text: 'Look.' }, part];
  return connect().responses.create({ model, input: [{ role: 'user', content }] });
};
const askPage: Ask = async (model, { type, data }) => {
  const parts = [
    { type: 'text', text: 'Look.' },
    { type: 'file', mediaType: type, url: data },
  ];
  const response = await fetch(`${url}/v1/agents/${model}/ui`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: crypto.randomUUID(), messages: [{ id: 'm', role: 'user', parts }] }),
  });
  const answer = await response.text();
  if (!answer.includes('text-delta')) throw new Error(answer);
};

describe.each([
  ['chat completions', askChat],
  ['responses', askResponses],
  ['useChat', askPage],
])('A file of %s', (_name, ask) => {
  test('reaches the provider with its bytes and its type, as an image or as a document', async () => {
    bodies.length = 0;
    await ask(agent, { type: 'image/png', data: PNG });
    await ask(agent, { type: 'application/pdf', data: PDF });
    const [image, document] = bodies.map((body) => JSON.stringify(body));
    expect(image).toContain(`"type":"input_image","image_url":"${PNG}"`);
    expect(document).toContain(`"file_data":"${PDF}"`);
  });

  test.each([
    ['a forbidden word', 'A pattern was found'],
    ['Write to ada@example.com', 'email'],
  ])('of a text type is judged by guards: "%s" is blocked', async (text, reason) => {
    bodies.length = 0;
    const file = { type: 'text/plain', data: `data:text/plain;charset=utf-8;base64,${btoa(text)}` };
    await expect(ask(guarded, file)).rejects.toThrow(reason);
    expect(bodies).toEqual([]);
  });

  test('is refused if its data URL is not base64', async () => {
    const file = { type: 'text/plain', data: 'data:text/plain,forbidden' };
    await expect(ask(agent, file)).rejects.toThrow('A data URL of the request is not encoded as base64.');
  });
});
