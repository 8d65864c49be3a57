import { MillraceError } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { askApi, serveApi } from './api.ts';
import { request } from './request.ts';

const nats = useNats();
const client = useBus(nats, 'client');
const owner = useBus(nats, 'owner');
const thread = {
  id: 't1',
  resourceId: 'ada',
  title: 'New',
  createdAt: '',
  updatedAt: '',
  messageCount: 0,
  metadata: {},
};

beforeAll(async () => {
  serveApi(owner.bus, 'threads-get', async ({ threadId }, { tenant, run }) => {
    if (threadId === 'slow') return new Promise(() => undefined);
    if (threadId === 'broken') throw new TypeError('a bug');
    if (threadId === 'unknown')
      throw new MillraceError('thread-unknown', `No thread "${threadId}".`, { remedy: 'List them.' });
    return { ...thread, id: threadId, title: `${tenant} ${run}` };
  });
  serveApi(owner.bus, 'cancel', async (_ask, { run }) => ({ runId: run ?? 'none', status: 'cancelled' }));
  serveApi(owner.bus, 'messages-list', async ({ limit, offset }) => ({ messages: [], total: limit * 1_000 + offset }));
  // A server that answers what its verb does not have.
  serveApi(owner.bus, 'memory-get', async () => JSON.parse('{"memory": 3}'));
  await owner.bus.nc.flush();
});

test('an api handler gets tenant and run from the subject', async () => {
  const found = await askApi(client.bus, 'threads-get', { tenant: 'acme' }, { threadId: 't1' });
  expect(found).toEqual({ ...thread, title: 'acme undefined' });
  expect(await askApi(client.bus, 'cancel', { tenant: 'acme', run: 'r1' }, {})).toEqual({
    runId: 'r1',
    status: 'cancelled',
  });
});

test('an idempotent question that a stopped replica received is asked again after a second, and another one answers', async () => {
  let asked = 0;
  const subject = client.bus.subjects.api('release', 'acme', 'r1');
  const answer = JSON.stringify({ ok: { runId: 'r1', status: 'released' } });
  // The first question is kept without an answer, as by a process that was stopped.
  const replica = owner.bus.nc.subscribe(subject, {
    callback: (_error, message) => void (++asked > 1 && message.respond(answer)),
  });
  await owner.bus.nc.flush();
  const askedAt = performance.now();
  expect(await askApi(client.bus, 'release', { tenant: 'acme', run: 'r1' }, {})).toMatchObject({ status: 'released' });
  expect(performance.now() - askedAt).toBeLessThan(5_000);
  expect(asked).toBe(2);
  replica.unsubscribe();
});

test('an api handler gets the defaults of a request filled in', async () => {
  const { total } = await askApi(client.bus, 'messages-list', { tenant: 'acme' }, { threadId: 't1' });
  expect(total).toBe(100_000);
});

describe('an api request that goes wrong throws the code of', () => {
  const get = (threadId: string) => askApi(client.bus, 'threads-get', { tenant: 'acme' }, { threadId });

  test('a coded refusal, with its remedy', async () => {
    await expect(get('unknown')).rejects.toMatchObject({ code: 'thread-unknown', remedy: 'List them.' });
  });

  test('a bug at the other side', async () => {
    await expect(get('broken')).rejects.toMatchObject({ code: 'internal', message: 'a bug' });
  });

  test('a request that does not fit, before it is sent, without a word of subjects', async () => {
    await expect(get('')).rejects.toMatchObject({
      code: 'message-invalid',
      path: 'threadId',
      message: 'The threads-get request does not fit: threadId must be 1 to 200 printable ASCII characters, no spaces.',
      issues: undefined,
    });
  });

  test('a request that does not fit, at the other end too', async () => {
    const subject = client.bus.subjects.api('threads-get', 'acme');
    const answer = await request(client.bus, { subject, payload: {}, reply: z.unknown(), timeoutMs: 5_000 });
    expect(answer).toMatchObject({ ok: { error: { code: 'message-invalid', path: 'threadId' } } });
  });

  test('an answer that does not fit', async () => {
    await expect(askApi(client.bus, 'memory-get', { tenant: 'acme' }, {})).rejects.toMatchObject({
      code: 'message-invalid',
    });
  });

  test('nobody there, with the service that is missing and what to do', async () => {
    await expect(askApi(client.bus, 'agents-list', { tenant: 'acme' }, {})).rejects.toMatchObject({
      code: 'nobody-there',
      message: 'Nobody answers agents-list, which the orchestrator owns.',
      remedy: expect.stringMatching(/^Start the orchestrator .*NATS_URL.*MILLRACE_PREFIX other than mr\.v1\.$/),
    });
  });

  test('no answer in time, with the service that owes it', async () => {
    const asking = askApi(client.bus, 'threads-get', { tenant: 'acme' }, { threadId: 'slow' }, { timeoutMs: 20 });
    await expect(asking).rejects.toMatchObject({
      code: 'timeout',
      message: 'No message-history answered threads-get within 20 ms.',
      remedy: expect.stringContaining('log'),
    });
  });

  test('a tenant that no subject can carry', async () => {
    const asking = askApi(client.bus, 'threads-get', { tenant: 'a.b' }, { threadId: 't1' });
    await expect(asking).rejects.toMatchObject({ code: 'token-invalid' });
  });

  test('a definition that a stopped replica received: it is asked once, because its answer would differ', async () => {
    let asked = 0;
    const subject = client.bus.subjects.api('agents-apply', 'once');
    const stopped = owner.bus.nc.subscribe(subject, { callback: () => void (asked += 1) });
    await owner.bus.nc.flush();
    const ask = { definition: {} };
    const asking = askApi(client.bus, 'agents-apply', { tenant: 'once' }, ask, { timeoutMs: 1_500 });
    await expect(asking).rejects.toMatchObject({ code: 'timeout' });
    expect(asked).toBe(1);
    stopped.unsubscribe();
  });

  test('a caller that gave up', async () => {
    const asking = askApi(
      client.bus,
      'threads-get',
      { tenant: 'acme' },
      { threadId: 't1' },
      { signal: AbortSignal.abort() },
    );
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
  });
});
