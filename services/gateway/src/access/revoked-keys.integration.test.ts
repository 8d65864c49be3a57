// A key that is revoked while a request is under way, on every protocol, with real services behind the gateway.
import { beforeAll, describe, expect, test } from 'vitest';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const agent = 'revoked-slow';
/** The answer takes ten seconds. */
const input = script({ text: 'word '.repeat(100), chunkSize: 5, delayMs: 100 });
const messages = [{ role: 'user', content: input }];

beforeAll(() =>
  gateway.stack.client.agents.apply({ name: agent, model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 }),
);

/** Returns the newest run of the thread. */
const findRun = async (threadId: string) => {
  const { runs } = await gateway.stack.client.runs.list({ agent, threadId });
  return runs[0];
};
const isRunning = async (threadId: string): Promise<void> =>
  expect.poll(async () => (await findRun(threadId))?.status, { timeout: 10_000 }).toBe('running');

test('A key that is revoked while the body is arriving starts no run', async () => {
  const threadId = crypto.randomUUID();
  const text = JSON.stringify({ input, threadId });
  let send = (_part: string, _isLast: boolean): void => undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = (part, isLast) => {
        controller.enqueue(new TextEncoder().encode(part));
        if (isLast) controller.close();
      };
    },
  });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, duplex: 'half' as const };
  const answer = gateway.fetch(`/v1/agents/${agent}/runs`, 'key-brief-body', init);
  send(text.slice(0, 10), false);
  // The request has been verified once, because it counts.
  await new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
  gateway.revoke('key-brief-body');
  send(text.slice(10), true);
  expect((await answer).status).toBe(401);
  expect(await findRun(threadId)).toBeUndefined();
});

test('A revocation cancels the run of a whole chat completion, whose answer is 401', async () => {
  const thread = crypto.randomUUID();
  const body = { model: agent, messages };
  const headers = { 'x-millrace-thread': thread };
  const answer = gateway.fetch('/v1/chat/completions', 'key-brief-chat', postJson(body, headers));
  await isRunning(thread);
  gateway.revoke('key-brief-chat');
  expect((await answer).status).toBe(401);
  await expect.poll(async () => (await findRun(thread))?.status).toBe('cancelled');
});

test('A revocation cancels the run of a tool call of MCP', async () => {
  const thread = crypto.randomUUID();
  const params = { name: agent, arguments: { message: input, thread } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = { accept: 'application/json, text/event-stream' };
  const answer = gateway.fetch('/mcp', 'key-brief-mcp', postJson(call, headers));
  await isRunning(thread);
  gateway.revoke('key-brief-mcp');
  expect(await (await answer).text()).toContain('The credential ended during the request.');
  await expect.poll(async () => (await findRun(thread))?.status).toBe('cancelled');
});

test('A revocation ends the wait for a result, and the run continues', async () => {
  const thread = crypto.randomUUID();
  const body = postJson({ input, threadId: thread });
  const answer = gateway.fetch(`/v1/agents/${agent}/runs?wait=60`, 'key-brief-wait', body);
  await isRunning(thread);
  gateway.revoke('key-brief-wait');
  expect((await answer).status).toBe(401);
  expect((await findRun(thread))?.status).toBe('running');
});

const EVENTS = { accept: 'text/event-stream' };

test.each([
  ['own', `/v1/agents/${agent}/runs`, { input }, EVENTS],
  [
    'ui',
    `/v1/agents/${agent}/ui`,
    { id: 'T', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: input }] }] },
  ],
  ['chat', '/v1/chat/completions', { model: agent, messages, stream: true }],
  ['keyed', '/v1/chat/completions', { model: agent, messages, stream: true }, { 'idempotency-key': 'revoked' }],
  ['responses', '/v1/responses', { model: agent, input, stream: true }],
] as [string, string, object, object?][])(
  'A revocation ends an open stream of %s with its reason',
  async (name, path, body, headers = {}) => {
    const key = `key-brief-stream-${name}`;
    const id = crypto.randomUUID();
    const given = JSON.parse(JSON.stringify(body).replace('"T"', JSON.stringify(id)));
    const response = await gateway.fetch(path, key, postJson(given, { ...headers, 'x-millrace-thread': id }));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = '';
    const read = async (isEnough: () => boolean) => {
      for (let part = await reader?.read(); part && !part.done; part = isEnough() ? undefined : await reader?.read())
        received += part.value;
    };
    await read(() => received.includes('word'));
    gateway.revoke(key);
    await read(() => false);
    expect(received.slice(-600)).toMatch(/The credential ended during the request/);
    expect(received).not.toMatch(/run-cancelled|no longer followed/);
  },
);

describe('a key of an operator that is limited to agents', () => {
  test.each(['/v1/dead-letters', '/v1/suspended', '/v1/processors', '/v1/runs'])(
    'is refused at %s, which shows every agent',
    async (path) => {
      const response = await gateway.fetch(path, 'key-single-operator');
      expect(response.status).toBe(403);
    },
  );
});
