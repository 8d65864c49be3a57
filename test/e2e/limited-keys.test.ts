// A key that is limited to agents asks every route with the id of a run or a thread about those of another agent of its
// subject: no answer has a text of them, and they are unchanged.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listRoutes, sendAsked, type Asked, type OpenApi } from './hidden-parts/ask-everything.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-limited-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const services = ['orchestrator', 'tools', 'message-history', 'working-memory'];
const stack = useStack(nats, services, () => ({ SQLITE_PATH: join(folder, 'memory.db'), GATEWAY_PORT: '0' }));

const OTHER = 'other-agent';
const OWN = 'own-agent';
const THREAD = 'shared-thread';
/** In the input, the answer and the question of the runs of the other agent. */
const SECRET = 'zebracode';
const INPUTS = [
  script({ text: `It is ${SECRET}.` }),
  script({ toolCalls: [{ name: 'ask-user', args: { question: `Is ${SECRET} right?` } }] }, { text: 'Thanks.' }),
];
const startedSchema = z.object({ runId: z.string() });
let url = '';
let keys = { all: '', limited: '' };
let runs: string[] = [];

const send = (key: string, asked: Asked, headers: Record<string, string> = {}) => sendAsked(url, key, asked, headers);
const startRun = async (key: string, agent: string, body: object) =>
  send(key, { method: 'POST', path: `/v1/agents/${agent}/runs?wait=20`, body });

beforeAll(async () => {
  await stack.start('auth');
  await stack.start('gateway');
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  const base = { model: 'openai/gpt-5-mini', flushMs: 0, memory: { lastMessages: 10 }, clientTools: true };
  for (const name of [OTHER, OWN])
    await stack.client.agents.apply({ ...base, name, tools: ['ask-user'], questions: ['ask-user'] });
  const key = { subject: 'ada', scopes: ['run', 'read', 'answer'] as const };
  const create = async (more: object) =>
    (await stack.client.keys.create({ ...key, scopes: [...key.scopes], ...more })).key;
  keys = { all: await create({}), limited: await create({ agents: [OWN] }) };
  for (const input of INPUTS) {
    const started = await startRun(keys.all, OTHER, { input, threadId: THREAD });
    runs.push(startedSchema.parse(await started.json()).runId);
  }
}, 120_000);

/** The routes with the id of a run or a thread, of every protocol; those that an unlimited key may ask too. */
async function listAsked(): Promise<Asked[]> {
  const document: OpenApi = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
  const routes = listRoutes(document, { agent: OTHER, runs, thread: THREAD, subject: 'ada' }, 'hello');
  const own = listRoutes(document, { agent: OWN, runs, thread: THREAD, subject: 'ada' }, 'hello');
  const named = [THREAD, ...runs];
  const paths = [...routes, ...own].filter(({ path }) => named.some((id) => path.includes(id)));
  const lists = [
    '/v1/threads',
    '/v1/runs?limit=1000',
    '/v1/runs?threadId=shared-thread',
    '/v1/memory?threadId=shared-thread',
  ];
  return [...lists.map((path) => ({ method: 'GET', path })), ...paths];
}
const readState = async () => ({
  runs: await Promise.all(runs.map(async (run) => (await stack.client.runs.get(run)).status)),
  thread: await stack.client.threads.get(THREAD),
});

describe('a key that is limited to another agent', () => {
  test('No route with the id of a run or a thread answers with a text of it, or changes it', async () => {
    const before = await readState();
    const found: string[] = [];
    const accepted = new Map<string, string>();
    for (const asked of await listAsked()) {
      const response = await send(keys.limited, asked);
      const text = await response.text();
      if (text.includes(SECRET)) found.push(`${asked.method} ${asked.path}`);
      if (response.ok) accepted.set(`${asked.method} ${asked.path}`, text);
    }
    expect(found).toEqual([]);
    // Lists without an entry of the other agent, and the answers for a chat that does not exist.
    expect([...accepted]).toEqual([
      ['GET /v1/threads', expect.stringContaining('"threads":[]')],
      ['GET /v1/runs?limit=1000', '{"runs":[]}'],
      ['GET /v1/runs?threadId=shared-thread', '{"runs":[]}'],
      [`GET /v1/agents/${OWN}/ui/${THREAD}/messages`, '{"messages":[]}'],
      [`GET /v1/agents/${OWN}/ui/${THREAD}/stream`, ''],
      [`POST /v1/agents/${OWN}/ui/${THREAD}/stop`, ''],
    ]);
    expect(await readState()).toEqual(before);
  }, 120_000);

  test('A key without a limit reads the text by the same routes', async () => {
    const read: string[] = [];
    for (const asked of (await listAsked()).filter(({ method }) => method === 'GET')) {
      if (asked.path.endsWith('/stream') || asked.path.endsWith('/chunks')) continue;
      const text = await (await send(keys.all, asked)).text();
      if (text.includes(SECRET)) read.push(asked.path.replace(runs[0] ?? '', 'RUN').replace(runs[1] ?? '', 'ASKING'));
    }
    expect(read).toEqual(
      expect.arrayContaining([
        '/v1/runs/RUN',
        '/v1/runs/ASKING',
        `/v1/threads/${THREAD}/messages`,
        `/v1/threads/${THREAD}/newest-run`,
        '/v1/responses/resp_RUN',
        `/v1/agents/${OTHER}/ui/${THREAD}/messages`,
      ]),
    );
  });

  const messages = [{ role: 'user', content: 'Go on.' }];
  const parts = [{ type: 'text', text: 'Go on.' }];
  const call = { name: OWN, arguments: { message: 'Go on.', thread: THREAD } };
  test.each<[string, string, object]>([
    ['run', `/v1/agents/${OWN}/runs?wait=20`, { input: 'Go on.', threadId: THREAD }],
    ['chat completion', '/v1/chat/completions', { model: OWN, messages }],
    ['response', '/v1/responses', { model: OWN, input: 'Go on.', conversation: THREAD }],
    ['chat of a page', `/v1/agents/${OWN}/ui`, { id: THREAD, messages: [{ id: 'm', role: 'user', parts }] }],
    ['call of MCP', `/mcp/${OWN}`, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }],
  ])('A %s does not continue the thread with its own agent', async (_name, path, body) => {
    const before = await readState();
    const accept = 'application/json, text/event-stream';
    const more = path.startsWith('/v1/chat') ? { 'x-millrace-thread': THREAD } : {};
    const response = await send(
      keys.limited,
      { method: 'POST', path, body, ...(path.startsWith('/mcp') && { accept }) },
      more,
    );
    const text = await response.text();
    expect([response.status, text]).toEqual([
      path.startsWith('/mcp') ? 200 : 404,
      expect.stringContaining(`There is no thread`),
    ]);
    expect(await readState()).toEqual(before);
  });

  test('It uses its own threads, also when their runs are no longer known', async () => {
    const thread = 'own-thread';
    const body = { input: script({ text: 'My own answer.' }), threadId: thread };
    const run = startedSchema.parse(await (await startRun(keys.limited, OWN, body)).json());
    const list = { method: 'GET', path: `/v1/threads/${thread}/messages` };
    expect(await (await send(keys.limited, list)).text()).toContain('My own answer.');
    await stack.client.runs.delete(run.runId);
    expect(await (await send(keys.limited, list)).text()).toContain('My own answer.');
    expect(await (await send(keys.limited, { method: 'GET', path: '/v1/threads' })).text()).toContain(thread);
    expect((await startRun(keys.limited, OWN, { input: 'And more?', threadId: thread })).status).toBe(200);
  });

  test('A thread of the other agent stays unknown when its runs are no longer known', async () => {
    const body = { input: script({ text: SECRET }), threadId: 'old-thread' };
    const run = startedSchema.parse(await (await startRun(keys.all, OTHER, body)).json());
    await stack.client.runs.delete(run.runId);
    expect((await send(keys.limited, { method: 'GET', path: '/v1/threads/old-thread/messages' })).status).toBe(404);
    expect((await startRun(keys.limited, OWN, { input: 'Go on.', threadId: 'old-thread' })).status).toBe(404);
  });
});
