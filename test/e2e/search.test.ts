// The search by meaning over HTTP and on the command line, with processes that have the permissions of their roles.
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useRecallStore } from './recall-store.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const nats = useNats();
const redis = useRedis();
const vectors = useRecallStore();
const stack = useStack(nats, ['orchestrator', 'auth', 'gateway', 'message-history', 'semantic-recall'], () => ({
  GATEWAY_PORT: '0',
  REDIS_URL: redis.url,
  ...vectors.env,
}));

const readUrl = async () => /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
const hitsSchema = z.object({ hits: z.array(z.looseObject({ threadId: z.string(), text: z.string() })) });
const query = 'Where is the car parked?';
let keys: Record<'ada' | 'bob', string>;

async function search(key: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${await readUrl()}/v1/threads/search`, { method: 'POST', headers, body: JSON.stringify(body) });
}

beforeAll(async () => {
  const agent = {
    name: 'searched',
    model: 'openai/gpt-5-mini',
    flushMs: 0,
    memory: { lastMessages: 5, semanticRecall: true },
  };
  await stack.client.agents.apply(agent);
  for (const [resourceId, text] of [
    ['ada', 'The car of Ada is parked on level four.'],
    ['bob', 'The car of Bob is parked at home.'],
  ] as const)
    await stack.client.generate('searched', `${text} ${script({ text: 'Noted.' })}`, {
      threadId: `${resourceId}-1`,
      resourceId,
    });
  const create = async (subject: string) => (await stack.client.keys.create({ subject, scopes: ['read'] })).key;
  keys = { ada: await create('ada'), bob: await create('bob') };
});

describe('POST /v1/threads/search', () => {
  test('A caller finds its own messages, without naming itself', async () => {
    const response = await search(keys.ada, { query });
    expect(response.status).toBe(200);
    const { hits } = hitsSchema.parse(await response.json());
    expect(hits[0]).toMatchObject({ threadId: 'ada-1', text: expect.stringContaining('level four') });
    expect(JSON.stringify(hits)).not.toContain('Bob');
  });

  test('A hit has its neighbours in the thread if the caller requests them', async () => {
    const answer = async (body: object) => hitsSchema.parse(await (await search(keys.ada, body)).json()).hits;
    const [plain] = await answer({ query, limit: 1 });
    expect([plain?.['previous'], plain?.['next']]).toEqual([undefined, undefined]);
    const [hit] = await answer({ query, limit: 1, withPrevious: 2, withNext: 2 });
    expect(hit).toMatchObject({
      text: expect.stringContaining('level four'),
      previous: [],
      next: [{ role: 'assistant', text: 'Noted.' }],
    });
    const [last] = await answer({ query: 'Noted.', limit: 1, withPrevious: 1 });
    expect(last).toMatchObject({ text: 'Noted.', previous: [{ role: 'user' }] });
    expect((await search(keys.ada, { query, limit: 10, withNext: 5 })).status).toBe(400);
  });

  test('The messages of another subject are refused, also by their thread', async () => {
    expect((await search(keys.bob, { query, resourceId: 'ada' })).status).toBe(400);
    const { hits } = hitsSchema.parse(await (await search(keys.bob, { query, threadId: 'ada-1' })).json());
    expect(hits).toEqual([]);
    expect((await search('mk_none', { query })).status).toBe(401);
  });

  test.each([
    ['an empty query', { query: '' }],
    ['a limit above the bound', { query, limit: 51 }],
    ['an unknown member', { query, topK: 3 }],
  ])('The gateway refuses %s', async (_name, body) => {
    expect((await search(keys.ada, body)).status).toBe(400);
  });
});

describe('GET /v1/threads', () => {
  test('A caller lists its own threads, without naming itself', async () => {
    const list = async (query: string) =>
      fetch(`${await readUrl()}/v1/threads${query}`, { headers: { authorization: `Bearer ${keys.ada}` } });
    const { threads } = z
      .object({ threads: z.array(z.object({ id: z.string() })) })
      .parse(await (await list('')).json());
    expect(threads.map(({ id }) => id)).toEqual(['ada-1']);
    expect((await list('?resourceId=bob')).status).toBe(400);
  });
});

describe('GET /v1/threads/{thread}/messages', () => {
  const list = async (thread: string, query: string) =>
    fetch(`${await readUrl()}/v1/threads/${thread}/messages${query}`, {
      headers: { authorization: `Bearer ${keys.ada}` },
    });

  test('A thread of another subject is unknown, and without messages if the request asks for an empty list', async () => {
    for (const thread of ['bob-1', 'none']) {
      expect((await list(thread, '')).status).toBe(404);
      const empty = await list(thread, '?missing=empty');
      expect([empty.status, await empty.json()]).toEqual([200, { messages: [], total: 0 }]);
    }
    expect(await (await list('ada-1', '?missing=empty')).json()).toMatchObject({ total: 2 });
  });
});

test('The command prints the nearest messages of an owner', async () => {
  const env = { NATS_URL: nats.url };
  const found = await millrace(['threads', 'search', query, '--resource', 'ada', '--limit', '1'], { env });
  expect(found).toMatchObject({ code: 0, stdout: expect.stringMatching(/ada-1 +user .*level four/) });
  expect(await millrace(['threads', 'search', query], { env })).toMatchObject({ code: 1 });
});
