import { MillraceError } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { askApi, serveApi } from './api.ts';
import { request } from '../core/request.ts';

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
    if (threadId === 'quoting')
      throw new MillraceError('model-call-failed', 'Embedding failed: connect ECONNREFUSED gpuhost', {
        remedy: 'Ask POST /v1/threads/search again.',
        cause: new Error('connect ECONNREFUSED gpuhost'),
      });
    if (threadId === 'relaying') throw new MillraceError('store-unavailable', 'The vector store: 10.0.12.7:6333');
    if (threadId === 'own') throw new MillraceError('thread-unknown', 'No thread "chat.example.com".');
    if (threadId === 'broken') throw new TypeError('a bug');
    if (threadId === 'unknown')
      throw new MillraceError('thread-unknown', `No thread "${threadId}".`, { remedy: 'List them.' });
    return { ...thread, id: threadId, title: `${tenant} ${run}` };
  });
  serveApi(owner.bus, 'cancel', async (_ask, { run }) => ({ runId: run ?? 'none', status: 'cancelled' }));
  serveApi(owner.bus, 'messages-list', async ({ limit, offset }) => ({ messages: [], total: limit * 1_000 + offset }));
  // A server that violates the contract of its verb.
  serveApi(owner.bus, 'memory-get', async () => JSON.parse('{"memory": 3}'));
  await owner.bus.nc.flush();
});

test('An api handler receives tenant and run from the subject', async () => {
  const found = await askApi(client.bus, 'threads-get', { caller: 'operator', tenant: 'acme' }, { threadId: 't1' });
  expect(found).toEqual({ ...thread, title: 'acme undefined' });
  expect(await askApi(client.bus, 'cancel', { caller: 'operator', tenant: 'acme', run: 'r1' }, {})).toEqual({
    runId: 'r1',
    status: 'cancelled',
  });
});

test('An idempotent request that a stopped replica received is repeated after a second, and another replica answers', async () => {
  let asked = 0;
  const subject = client.bus.subjects.api('release', { tenant: 'acme', caller: 'operator', run: 'r1' });
  const answer = JSON.stringify({ ok: { runId: 'r1', status: 'released' } });
  // Keeps the first request without an answer, like a stopped process.
  const replica = owner.bus.nc.subscribe(subject, {
    callback: (_error, message) => void (++asked > 1 && message.respond(answer)),
  });
  await owner.bus.nc.flush();
  const askedAt = performance.now();
  expect(await askApi(client.bus, 'release', { caller: 'operator', tenant: 'acme', run: 'r1' }, {})).toMatchObject({
    status: 'released',
  });
  expect(performance.now() - askedAt).toBeLessThan(5_000);
  expect(asked).toBe(2);
  replica.unsubscribe();
});

test('An api handler receives the defaults of a request', async () => {
  const { total } = await askApi(
    client.bus,
    'messages-list',
    { caller: 'operator', tenant: 'acme' },
    { threadId: 't1' },
  );
  expect(total).toBe(100_000);
});

describe('errors of an api request', () => {
  const get = (threadId: string) =>
    askApi(client.bus, 'threads-get', { caller: 'operator', tenant: 'acme' }, { threadId });

  test('A coded error is thrown with its remedy', async () => {
    await expect(get('unknown')).rejects.toMatchObject({ code: 'thread-unknown', remedy: 'List them.' });
  });

  test('An error that quotes another server hides hosts from end clients, and from no operator', async () => {
    const ask = (caller: string, threadId: string) =>
      askApi(client.bus, 'threads-get', { caller, tenant: 'acme' }, { threadId }).catch((error: unknown) => error);
    expect(await ask('ada', 'quoting')).toMatchObject({
      code: 'model-call-failed',
      message: 'Embedding failed: connect ECONNREFUSED (hidden address)',
      remedy: 'Ask POST /v1/threads/search again.',
    });
    expect(await ask('ada', 'relaying')).toMatchObject({ message: 'The vector store: (hidden address)' });
    expect(await ask('operator', 'quoting')).toMatchObject({ message: expect.stringContaining('gpuhost') });
    expect(await ask('ada', 'own')).toMatchObject({ message: 'No thread "chat.example.com".' });
  });

  test('A bug of the service is thrown as internal', async () => {
    await expect(get('broken')).rejects.toMatchObject({ code: 'internal', message: 'a bug' });
  });

  test('An invalid request is rejected before it is sent, without a mention of subjects', async () => {
    await expect(get('')).rejects.toMatchObject({
      code: 'message-invalid',
      path: 'threadId',
      message: 'The threads-get request does not fit: threadId must be 1 to 200 printable ASCII characters, no spaces.',
      issues: undefined,
    });
  });

  test('The service rejects an invalid request too', async () => {
    const subject = client.bus.subjects.api('threads-get', { tenant: 'acme', caller: 'operator' });
    const answer = await request(client.bus, { subject, payload: {}, reply: z.unknown(), timeoutMs: 5_000 });
    expect(answer).toMatchObject({ ok: { error: { code: 'message-invalid', path: 'threadId' } } });
  });

  test('An invalid answer is rejected', async () => {
    await expect(askApi(client.bus, 'memory-get', { caller: 'operator', tenant: 'acme' }, {})).rejects.toMatchObject({
      code: 'message-invalid',
    });
  });

  test('Without responders the error names the missing service and the remedy', async () => {
    await expect(askApi(client.bus, 'agents-list', { caller: 'operator', tenant: 'acme' }, {})).rejects.toMatchObject({
      code: 'nobody-there',
      message: 'No service is subscribed to agents-list, which the orchestrator owns.',
      remedy: expect.stringMatching(/^Start the orchestrator .*NATS_URL.*MILLRACE_PREFIX other than mr\.v1\.$/),
    });
  });

  test('A timeout names the service', async () => {
    const asking = askApi(
      client.bus,
      'threads-get',
      { caller: 'operator', tenant: 'acme' },
      { threadId: 'slow' },
      { timeoutMs: 20 },
    );
    await expect(asking).rejects.toMatchObject({
      code: 'timeout',
      message: 'No message-history answered threads-get within 20 ms.',
      remedy: expect.stringContaining('log'),
    });
  });

  test('An invalid tenant is rejected', async () => {
    const asking = askApi(client.bus, 'threads-get', { caller: 'operator', tenant: 'a.b' }, { threadId: 't1' });
    await expect(asking).rejects.toMatchObject({ code: 'token-invalid' });
  });

  test('A definition is requested once, because a repeated request has another answer', async () => {
    let asked = 0;
    const subject = client.bus.subjects.api('agents-apply', { tenant: 'once', caller: 'operator' });
    const stopped = owner.bus.nc.subscribe(subject, { callback: () => void (asked += 1) });
    await owner.bus.nc.flush();
    const ask = { definition: {} };
    const asking = askApi(client.bus, 'agents-apply', { caller: 'operator', tenant: 'once' }, ask, {
      timeoutMs: 1_500,
    });
    await expect(asking).rejects.toMatchObject({ code: 'timeout' });
    expect(asked).toBe(1);
    stopped.unsubscribe();
  });

  test('A cancelled request is rejected', async () => {
    const asking = askApi(
      client.bus,
      'threads-get',
      { caller: 'operator', tenant: 'acme' },
      { threadId: 't1' },
      { signal: AbortSignal.abort() },
    );
    await expect(asking).rejects.toMatchObject({ code: 'cancelled' });
  });
});
