// Creates threads and gives them titles and metadata over real services: client, gateway, command line and limited keys.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@millrace/client';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useModelProxy } from './model-proxy.ts';
import { millrace } from './run-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-threads-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const redis = useRedis();
const services = ['message-history'];
const stack = useStack(nats, services, () => ({
  REDIS_URL: redis.url,
  SQLITE_PATH: join(folder, 'memory.db'),
  GATEWAY_PORT: '0',
}));
const proxy = useModelProxy(stack);
const readPrompt = () => JSON.stringify(proxy.bodies.at(-1));
const cli = (...args: string[]) => millrace(args, { env: { NATS_URL: nats.url }, cwd: folder });
const threadSchema = z.object({ id: z.string(), metadata: z.record(z.string(), z.unknown()) });
let url = '';
let keys = { all: '', first: '', second: '' };
const send = (key: string, method: string, path: string, body?: object) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });

beforeAll(async () => {
  await stack.start('auth');
  await stack.start('gateway');
  url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
  for (const name of ['first', 'second'])
    await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', memory: { lastMessages: 10 } });
  const create = async (more: object) =>
    (await stack.client.keys.create({ subject: 'ada', scopes: ['run', 'read'], ...more })).key;
  keys = {
    all: await create({}),
    first: await create({ agents: ['first'] }),
    second: await create({ agents: ['second'] }),
  };
}, 120_000);

describe('creating a thread', () => {
  test('A run continues a created thread, and no prompt contains its title or metadata', async () => {
    const ada = await connect({ url: nats.url, subject: 'ada' });
    const given = { title: 'Plans zebracode', metadata: { note: 'zebracode' } };
    const { id } = await ada.threads.create(given);
    for (const question of ['Where is the zoo?', 'When does it open?']) {
      await ada.generate('first', question, { threadId: id });
      expect(readPrompt()).toContain('Where is the zoo?');
      expect(readPrompt()).not.toContain('zebracode');
    }
    const thread = await ada.threads.get(id);
    const metadata = { note: 'zebracode', agents: ['first'] };
    expect(thread).toMatchObject({ ...given, resourceId: 'ada', messageCount: 4, metadata });
    expect(await ada.threads.update(id, { metadata: { b: [1] } })).toMatchObject({
      title: given.title,
      metadata: { b: [1], agents: ['first'] },
    });
    await expect(ada.threads.create({ threadId: id })).rejects.toMatchObject({ code: 'state-conflict' });
    await expect(ada.threads.create({ resourceId: 'bob' })).rejects.toMatchObject({ path: 'resourceId' });
    await ada.close();
  });

  test('The routes create and change a thread of the subject, and refuse agents and large metadata by name', async () => {
    const created = await send(keys.all, 'POST', '/v1/threads', { threadId: 'web', metadata: { pinned: true } });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({
      id: 'web',
      resourceId: 'ada',
      metadata: { pinned: true, agents: [] },
    });
    const changed = await send(keys.all, 'PATCH', '/v1/threads/web', { title: 'Web', metadata: {} });
    expect(await changed.json()).toMatchObject({ title: 'Web', metadata: { agents: [] } });
    for (const metadata of [{ agents: ['first'] }, { text: 'x'.repeat(4_096) }])
      for (const [method, path] of [['POST', '/v1/threads'] as const, ['PATCH', '/v1/threads/web'] as const]) {
        const refused = await send(keys.all, method, path, { metadata });
        expect([refused.status, await refused.json()]).toMatchObject([400, { path: 'metadata' }]);
      }
    expect((await send(keys.all, 'POST', '/v1/threads', { resourceId: 'bob' })).status).toBe(400);
  });

  test('A thread that a limited key creates is unknown to a key for other agents, and so is its id', async () => {
    const { id, metadata } = threadSchema.parse(
      await (await send(keys.first, 'POST', '/v1/threads', { title: 'Mine', metadata: { note: 'zebracode' } })).json(),
    );
    expect(metadata).toEqual({ note: 'zebracode', agents: ['first'] });
    expect((await send(keys.first, 'PATCH', `/v1/threads/${id}`, { title: 'Still mine' })).status).toBe(200);
    expect(await (await send(keys.second, 'GET', '/v1/threads')).text()).not.toContain('zebracode');
    expect((await send(keys.second, 'GET', `/v1/threads/${id}`)).status).toBe(404);
    expect((await send(keys.second, 'PATCH', `/v1/threads/${id}`, { metadata: {} })).status).toBe(404);
    expect((await send(keys.second, 'POST', '/v1/threads', { threadId: id })).status).toBe(404);
    expect((await send(keys.second, 'POST', '/v1/threads', { agents: ['first'] })).status).toBe(404);
    expect((await send(keys.second, 'POST', `/v1/agents/second/runs`, { input: 'x', threadId: id })).status).toBe(404);
    expect((await send(keys.all, 'GET', `/v1/threads/${id}`)).status).toBe(200);
  });

  test('A clone continues the conversation without its later messages, and has the agents of the thread', async () => {
    const ada = await connect({ url: nats.url, subject: 'ada' });
    const say = (input: string, threadId: string) => ada.generate('first', input, { threadId });
    await say('My bicycle is red.', 'long');
    const { messages } = await ada.threads.messages('long');
    await say('My boat is blue.', 'long');
    const answer = await send(keys.first, 'POST', '/v1/threads/long/clone', { upTo: messages.at(-1)?.id });
    expect(answer.status).toBe(201);
    const { id, metadata } = threadSchema.parse(await answer.json());
    expect(metadata).toEqual({ agents: ['first'] });
    expect((await ada.threads.messages(id)).messages.map((message) => message.id)).toEqual(
      messages.map((one) => one.id),
    );
    await say('What do I have?', id);
    expect(readPrompt()).toContain('bicycle');
    expect(readPrompt()).not.toContain('boat');
    const own = await ada.threads.clone('long', { upTo: messages[0]?.id });
    expect(own).toMatchObject({ messageCount: 1, metadata: { agents: ['first'] } });
    expect((await ada.threads.messages('long')).total).toBe(4);
    expect((await send(keys.second, 'GET', `/v1/threads/${id}`)).status).toBe(404);
    expect((await send(keys.second, 'POST', '/v1/threads/long/clone', {})).status).toBe(404);
    const taken = { newThreadId: id };
    expect((await send(keys.all, 'POST', '/v1/threads/long/clone', taken)).status).toBe(409);
    await ada.threads.create({ threadId: 'others', agents: ['second'] });
    expect((await send(keys.first, 'POST', '/v1/threads/long/clone', { newThreadId: 'others' })).status).toBe(404);
    await ada.close();
  });

  test('`millrace threads create` creates a thread with metadata of a file', async () => {
    writeFileSync(join(folder, 'metadata.json'), '{"pinned":true}');
    const args = ['threads', 'create', 'made', '--title', 'Made here', '--resource', 'ada'];
    expect(await cli(...args, '--metadata', 'metadata.json')).toMatchObject({
      code: 0,
      stdout: 'made is created: Made here\n',
    });
    expect(await stack.client.threads.get('made')).toMatchObject({
      resourceId: 'ada',
      metadata: { pinned: true, agents: [] },
    });
    const foreign = await cli('threads', 'create', 'made');
    expect(foreign.stderr).toContain(
      'Thread "made" belongs to a resource, and the caller names none. (thread-foreign)',
    );
    const { stderr } = await cli('threads', 'create', 'made', '--resource', 'ada', '--title', 'Other');
    expect(stderr).toContain('remedy: Use a new thread id, or update the thread.');
  });

  test('`millrace threads update` replaces title and metadata, and refuses a change without either', async () => {
    writeFileSync(join(folder, 'changed.json'), '{"pinned":false}');
    expect(await cli('threads', 'update', 'made', '--title', 'Renamed', '--metadata', 'changed.json')).toMatchObject({
      code: 0,
      stdout: 'made is updated: Renamed\n',
    });
    const updated = JSON.parse((await cli('threads', 'update', 'made', '--title', 'Again', '--json')).stdout);
    expect(updated).toMatchObject({ title: 'Again', metadata: { pinned: false } });
    expect((await cli('threads', 'update', 'made')).stderr).toContain('give --title, --metadata or both');
  });

  test('`millrace threads clone` copies a thread as a whole, and up to a message', async () => {
    const { messages } = await stack.client.threads.messages('long');
    expect((await cli('threads', 'clone', 'long', 'copied')).stdout).toBe('copied is a copy of long, 4 messages\n');
    const { stdout } = await cli('threads', 'clone', 'long', '--up-to', messages[0]?.id ?? '', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ messageCount: 1 });
    expect((await cli('threads', 'clone', 'long', 'copied', '--up-to', 'none')).stderr).toContain('message-invalid');
  });
});

test('Messages are read by their ids, over HTTP and by the client, and not by the key of another agent', async () => {
  const ada = await connect({ url: nats.url, subject: 'ada' });
  await ada.generate('first', 'Where is the zoo?', { threadId: 'by-id' });
  const { messages } = await ada.threads.messages('by-id');
  const ids = messages.map(({ id }) => id).toReversed();
  expect(ids).toHaveLength(2);
  const found = await ada.threads.messages('by-id', { include: [...ids, 'none'] });
  expect([found.messages.map(({ id }) => id), found.total]).toEqual([ids, 2]);
  const path = `/v1/threads/by-id/messages?include=${ids.join(',')}`;
  expect(await (await send(keys.first, 'GET', path)).json()).toMatchObject({
    messages: ids.map((id) => ({ id })),
    total: 2,
  });
  expect((await send(keys.second, 'GET', path)).status).toBe(404);
  expect((await send(keys.all, 'GET', `${path}&last=1`)).status).toBe(400);
  await ada.close();
});
