// Keys that are limited to agents or scopes, on every protocol, with real services behind the gateway.
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const agent = 'limited-asking';
const thread = crypto.randomUUID();
let runId = '';

const asking = script(
  { toolCalls: [{ name: 'ask-user', args: { question: 'Which city?' } }] },
  { text: 'Oslo it is.' },
);
const startedSchema = z.object({ runId: z.string(), status: z.literal('suspended') });
const readStatus = async () => (await gateway.stack.client.runs.get(runId)).status;

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  const { agents } = gateway.stack.client;
  await agents.apply({ ...base, name: 'only-this' });
  await agents.apply({ ...base, name: agent, tools: ['ask-user'], questions: ['ask-user'] });
  const body = postJson({ input: asking, threadId: thread });
  const response = await gateway.fetch(`/v1/agents/${agent}/runs?wait=20`, 'key-ada', body);
  ({ runId } = startedSchema.parse(await response.json()));
});

describe('a key that is limited to another agent', () => {
  const chat = `/v1/agents/${agent}/ui/${thread}`;
  test.each([
    ['GET', () => `/v1/runs/${runId}`],
    ['GET', () => `/v1/runs/${runId}/chunks`],
    ['GET', () => `/v1/runs/${runId}/events`],
    ['POST', () => `/v1/runs/${runId}/cancel`],
    ['POST', () => `/v1/runs/${runId}/release`],
    ['GET', () => `/v1/responses/resp_${runId}`],
    ['POST', () => `/v1/responses/resp_${runId}/cancel`],
    ['GET', () => `${chat}/stream`],
    ['GET', () => `${chat}/messages`],
    ['POST', () => `${chat}/stop`],
  ])('%s %s is 404, and the run is unchanged', async (method, path) => {
    const response = await gateway.fetch(path(), 'key-single-answer', { method });
    expect(response.status).toBe(404);
    expect(await readStatus()).toBe('suspended');
  });

  test('The token of a question of that run is no answer', async () => {
    const { pending = [] } = await gateway.stack.client.runs.get(runId);
    const body = postJson({ token: pending[0]?.resumeToken ?? 'x', data: 'Oslo' });
    expect((await gateway.fetch(`/v1/runs/${runId}/answer`, 'key-single-answer', body)).status).toBe(404);
    expect(await readStatus()).toBe('suspended');
  });

  test('The list of runs has none of that agent', async () => {
    const list = await gateway.fetch('/v1/runs?limit=1000', 'key-single-answer');
    expect(await list.text()).not.toContain(agent);
    const all = await gateway.fetch('/v1/runs?limit=1000', 'key-ada');
    expect(await all.text()).toContain(runId);
  });

  test.each([
    ['chat completion', '/v1/chat/completions', { model: 'only-this', messages: [{ role: 'user', content: 'Oslo' }] }],
    [
      'chat of a page',
      '/v1/agents/only-this/ui',
      { id: thread, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Oslo' }] }] },
    ],
  ])('A %s on the thread of that run is no answer to its question', async (_name, path, body) => {
    const response = await gateway.fetch(path, 'key-single-answer', postJson(body, { 'x-millrace-thread': thread }));
    await response.text();
    expect(response.headers.get('x-millrace-run-id')).not.toBe(runId);
    expect(await readStatus()).toBe('suspended');
  });
});

test('A tool call of MCP answers no question without the scope answer', async () => {
  const own = crypto.randomUUID();
  const call = (message: string, key: string) =>
    gateway.fetch(
      `/mcp/${agent}`,
      key,
      postJson(
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: agent, arguments: { message, thread: own } } },
        { accept: 'application/json, text/event-stream' },
      ),
    );
  expect(await (await call(asking, 'key-silent')).text()).toContain('Which city?');
  expect(await (await call('Oslo', 'key-silent')).text()).not.toContain('Oslo it is.');
});

describe('a key with a limit of tokens a day', () => {
  const hello = script({ text: 'Hello.' });
  const params = { name: 'only-this', arguments: { message: hello } };
  test.each([
    ['own', '/v1/agents/only-this/runs?wait=20', { input: hello }],
    ['unread', '/v1/agents/only-this/runs', { input: hello }],
    ['chat', '/v1/chat/completions', { model: 'only-this', messages: [{ role: 'user', content: hello }] }],
    ['responses', '/v1/responses', { model: 'only-this', input: hello, stream: true }],
    [
      'ui',
      '/v1/agents/only-this/ui',
      { id: 'c', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: hello }] }] },
    ],
    ['mcp', '/mcp/only-this', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }],
  ])('The tokens of a run of %s count', async (name, path, body) => {
    const key = `key-tokens-${name}`;
    const accept = 'application/json, text/event-stream';
    const headers: Record<string, string> = name === 'own' || name === 'unread' ? {} : { accept };
    const response = await gateway.fetch(path, key, postJson(body, headers));
    expect(await response.text()).toContain(name === 'unread' ? 'runId' : 'Hello.');
    await expect.poll(async () => (await gateway.fetch('/v1/agents', key)).status).toBe(429);
  });
});
