// The error of a provider names hosts, addresses, paths and keys: callers of every protocol read the error without them, and
// the events of operators keep the cause.
import { eventually, useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator'], () => ({ GATEWAY_PORT: '0' }));
const AGENT = 'failing';
const FORMS = [
  'http://vllm-a.internal:8000/v1/models',
  'vllm-b:8000',
  'vllm-c.internal.svc.cluster.local',
  'gpu-d.prod.example.com',
  '10.11.12.13:8443',
  '172.16.9.8',
  '[fd00:12:3456::1f]:8080',
  '2001:db8::7',
  '/srv/models-e/config.json',
  'sk-proj-f1f2f3f4f5****',
];
/** A part of each form that no other text of an answer has. */
const MARKS = ['vllm-', 'gpu-d', '10.11.12', '172.16.9', 'fd00', '2001:db8', 'models-e', 'f1f2f3'];
const MESSAGE = `The key is not valid: ${FORMS.map((form) => `"${form}"`).join(', ')}, getaddrinfo ENOTFOUND vllm-g.`;
const failed = script({ error: { status: 401, message: MESSAGE } });
let url = '';
let key = '';

beforeAll(async () => {
  await stack.start('auth');
  await stack.start('gateway');
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  const agent = { name: AGENT, model: 'openai/gpt-5-mini', flushMs: 0 };
  await eventually(() => stack.client.agents.apply(agent), { timeoutMs: 60_000 });
  ({ key } = await stack.client.keys.create({ scopes: ['run', 'read'], subject: 'ada' }));
}, 120_000);

const send = (path: string, body: object, accept = 'application/json') =>
  fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });
const messages = [{ role: 'user', content: failed }];
const parts = [{ type: 'text', text: failed }];
const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: AGENT, arguments: { message: failed } } };
const EVENTS = 'text/event-stream';

test.each<[string, string, object, string?]>([
  ['own API', `/v1/agents/${AGENT}/runs?wait=20`, { input: failed }],
  ['own API as a stream', `/v1/agents/${AGENT}/runs`, { input: failed }, EVENTS],
  ['chat completion', '/v1/chat/completions', { model: AGENT, messages }],
  ['chat completion as a stream', '/v1/chat/completions', { model: AGENT, messages, stream: true }],
  ['response', '/v1/responses', { model: AGENT, input: failed }],
  ['response as a stream', '/v1/responses', { model: AGENT, input: failed, stream: true }],
  ['chat of a page', `/v1/agents/${AGENT}/ui`, { id: 'page', messages: [{ id: 'm', role: 'user', parts }] }],
  ['call of MCP', `/mcp/${AGENT}`, rpc, `application/json, ${EVENTS}`],
])(
  'The error of a provider in the answer of the %s hides hosts, addresses, paths and keys',
  async (_name, path, body, accept) => {
    const text = await (await send(path, body, accept)).text();
    expect(text).toContain('The key is not valid');
    expect(MARKS.filter((mark) => text.includes(mark))).toEqual([]);
  },
);

test('A run that is read later has the same error, and the events of operators keep the cause', async () => {
  const answer = await send(`/v1/agents/${AGENT}/runs?wait=20`, { input: failed });
  const { runId } = z.object({ runId: z.string() }).parse(await answer.json());
  const headers = { authorization: `Bearer ${key}` };
  for (const path of [
    `/v1/runs/${runId}`,
    `/v1/runs/${runId}/chunks`,
    `/v1/runs/${runId}/events`,
    `/v1/responses/resp_${runId}`,
  ]) {
    const text = await (await fetch(url + path, { headers })).text();
    expect([path, MARKS.filter((mark) => text.includes(mark))]).toEqual([path, []]);
  }
  const detail = JSON.stringify(await stack.client.runs.eventsDetail(runId));
  expect(FORMS.filter((form) => !detail.includes(form))).toEqual([]);
});
