import { MillraceError } from '@millrace/contracts';
import { eventually, useBus, useNats, createCollectedLog } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { request } from './request.ts';
import { serve } from './serve.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const log = createCollectedLog();
const server = useBus(nats, 'server', { log });

const replySchema = z.union([z.number(), z.string(), z.object({ ok: z.literal(true) })]);
const ask = (subject: string, payload: unknown = {}, timeoutMs = 2_000) =>
  request(asker.bus, { subject, payload, reply: replySchema, timeoutMs });
const serveHandler = async (subject: string, handle: () => Promise<unknown>, bus = server.bus) => {
  const serving = serve(bus, { subject, queue: 'q', request: z.object({ text: z.string().optional() }), handle });
  await bus.nc.flush();
  return serving;
};

describe('an invalid request', () => {
  test('An invalid request is answered with a coded error that names the path, and logged', async () => {
    const serving = await serveHandler('misfit', async () => ({ ok: true }));
    expect(await ask('misfit', { text: 3 })).toMatchObject({ error: { code: 'message-invalid', path: 'text' } });
    expect(serving.stats).toMatchObject({
      requests: 1,
      errors: 1,
      lastError: expect.stringContaining('message-invalid'),
    });
    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ subject: 'misfit' }) }),
    );
  });

  test.each(['', '{"text":', '\u0000', 'null', '"text"'])('%j is answered with a coded error', async (text) => {
    const subject = `raw-${Buffer.from(text).toString('hex')}x`;
    await serveHandler(subject, async () => ({ ok: true }));
    const reply = await asker.bus.nc.request(subject, text, { timeout: 2_000 });
    expect(reply.json()).toMatchObject({ error: { code: 'message-invalid' } });
  });
});

describe('a handler that throws', () => {
  test('A coded error of the handler is the reply', async () => {
    await serveHandler('coded', async () => {
      throw new MillraceError('thread-unknown', 'No thread "x".', { remedy: 'Make one.' });
    });
    expect(await ask('coded')).toMatchObject({ error: { code: 'thread-unknown', remedy: 'Make one.' } });
  });

  test('Any other error of the handler is internal', async () => {
    await serveHandler('broken', async () => {
      throw new TypeError('x is not a function');
    });
    expect(await ask('broken')).toMatchObject({ error: { code: 'internal', message: 'x is not a function' } });
  });
});

test('An oversized reply is replaced by an error', async () => {
  await serveHandler('huge', async () => 'x'.repeat(server.bus.readMaxPayload() + 1));
  expect(await ask('huge')).toMatchObject({ error: { code: 'message-too-large' } });
});

test('A reply that is not JSON is replaced by an error', async () => {
  await serveHandler('bigint', async () => ({ n: 1n }));
  expect(await ask('bigint')).toHaveProperty('error');
});

describe('a reply subject outside of an inbox', () => {
  test.each(['mr.v1.runs.acme', '$JS.API.STREAM.DELETE.X', '_INBOXES', '_INBOX_client.x.1', 'INBOX.x', 'x._INBOX.y'])(
    'The request is rejected: %s',
    async (reply) => {
      const subject = `foreign-${Buffer.from(reply).toString('hex')}`;
      let handled = 0;
      const serving = await serveHandler(subject, async () => ++handled);
      const heard: string[] = [];
      const spy = server.bus.nc.subscribe(reply, { callback: (_error, message) => void heard.push(message.subject) });
      await server.bus.nc.flush();
      asker.bus.nc.publish(subject, '{}', { reply });
      await eventually(() => serving.stats.errors === 1);
      await server.bus.nc.flush();
      expect(serving.stats.lastError).toContain('reply-subject-refused');
      expect({ heard, handled }).toEqual({ heard: [], handled: 0 });
      spy.unsubscribe();
    },
  );

  test('A request without a reply subject is rejected', async () => {
    const serving = await serveHandler('unanswered', async () => ({}));
    asker.bus.nc.publish('unanswered', '{}');
    await eventually(() => serving.stats.errors === 1);
    expect(serving.stats.lastError).toContain('has the reply subject (none)');
  });

  test('A reply subject under any prefix of inboxes is accepted, also that of the nats command', async () => {
    await serveHandler('inboxes', async () => ({ ok: true }));
    expect((await asker.bus.nc.request('inboxes', '{}')).json()).toEqual({ ok: true });
    const reply = '_INBOX.nats-cli.1';
    const heard = Promise.withResolvers<string>();
    const spy = asker.bus.nc.subscribe(reply, { callback: (_error, message) => heard.resolve(message.string()) });
    asker.bus.nc.publish('inboxes', '{}', { reply });
    expect(await heard.promise).toBe('{"ok":true}');
    spy.unsubscribe();
  });
});

test('Replicas share the requests by queue group: each is handled once', async () => {
  const second = await server.connect();
  const handled: string[] = [];
  await serveHandler('shared', async () => handled.push('first'));
  await serveHandler('shared', async () => handled.push('second'), second);
  await Promise.all(Array.from({ length: 60 }, () => ask('shared')));
  expect(handled).toHaveLength(60);
  expect(new Set(handled)).toEqual(new Set(['first', 'second']));
});

describe('draining an endpoint', () => {
  test('A draining endpoint accepts nothing new and waits for requests in flight', async () => {
    const bus = await server.connect();
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const serving = await serveHandler(
      'draining',
      async () => {
        entered.resolve();
        await gate.promise;
        return 'done';
      },
      bus,
    );
    const first = ask('draining');
    await entered.promise;
    let drained = false;
    const drain = serving.drain(10_000).then(() => (drained = true));
    await eventually(async () => (await ask('draining', {}, 200)) && 'error' in (await ask('draining', {}, 200)));
    expect(await ask('draining')).toMatchObject({ error: { code: 'nobody-there' } });
    expect(drained).toBe(false);
    gate.resolve();
    await drain;
    expect(await first).toEqual({ ok: 'done' });
  });

  test('A draining endpoint waits at most its grace period for a hanging handler', async () => {
    const entered = Promise.withResolvers<void>();
    const serving = await serveHandler('hanging', () => {
      entered.resolve();
      return new Promise(() => undefined);
    });
    void ask('hanging', {}, 100);
    await entered.promise;
    const started = performance.now();
    await serving.drain(50);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

test('A handler that replies after the connection is closed causes no error', async () => {
  const bus = await server.connect();
  const entered = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const serving = await serveHandler(
    'too-late',
    async () => {
      entered.resolve();
      await gate.promise;
      return 'late';
    },
    bus,
  );
  const answer = ask('too-late', {}, 300);
  await entered.promise;
  await bus.close();
  gate.resolve();
  await serving.drain(1_000);
  expect(await answer).toMatchObject({ error: { code: 'timeout' } });
});

test('A request above the concurrency limit of a subject is rejected with a code, at once', async () => {
  const gate = Promise.withResolvers<void>();
  const serving = serve(server.bus, {
    subject: 'bounded.subject',
    request: z.object({}),
    maxInFlight: 2,
    handle: async () => {
      await gate.promise;
      return { done: true };
    },
  });
  await server.bus.nc.flush();
  const askOne = () =>
    request(asker.bus, {
      subject: 'bounded.subject',
      payload: {},
      reply: z.object({ done: z.boolean() }),
      timeoutMs: 5_000,
    });
  const taken = [askOne(), askOne()];
  expect(await askOne()).toMatchObject({ error: { code: 'too-many-requests', remedy: expect.any(String) } });
  gate.resolve();
  expect(await Promise.all(taken)).toEqual([{ ok: { done: true } }, { ok: { done: true } }]);
  expect(await askOne()).toEqual({ ok: { done: true } });
  await serving.drain(1_000);
});

test('A party without a request under way is answered when another party has taken all places of a subject', async () => {
  const gate = Promise.withResolvers<void>();
  const serving = serve(server.bus, {
    subject: 'shared.subject.*',
    request: z.object({}),
    maxInFlight: 2,
    nameParty: (subject) => subject,
    handle: async () => {
      await gate.promise;
      return { done: true };
    },
  });
  await server.bus.nc.flush();
  const ask = (party: string) =>
    request(asker.bus, {
      subject: `shared.subject.${party}`,
      payload: {},
      reply: z.object({ done: z.boolean() }),
      timeoutMs: 5_000,
    });
  const taken = [ask('ada'), ask('ada')];
  expect(await ask('ada')).toMatchObject({ error: { code: 'too-many-requests' } });
  taken.push(ask('bob'));
  expect(await ask('bob')).toMatchObject({ error: { code: 'too-many-requests' } });
  gate.resolve();
  expect(await Promise.all(taken)).toEqual(Array.from({ length: 3 }, () => ({ ok: { done: true } })));
  await serving.drain(1_000);
});

describe('a replica that is answering a request', () => {
  test('The replica ignores copies of the request, so that they take no place of other requests', async () => {
    const texts: (string | undefined)[] = [];
    const gate = Promise.withResolvers<void>();
    serve(server.bus, {
      subject: 'repeated.subject',
      request: z.object({ text: z.string() }),
      maxInFlight: 2,
      handle: async ({ text }) => {
        texts.push(text);
        await gate.promise;
        return { ok: true };
      },
    });
    await server.bus.nc.flush();
    const answers: string[] = [];
    const inbox = asker.bus.inbox.open(
      ({ data }) => void answers.push(data.toString()),
      'repeated',
      () => undefined,
    );
    const publishText = (text: string) =>
      asker.bus.nc.publish('repeated.subject', JSON.stringify({ text }), { reply: inbox.subject });
    for (const text of ['one', 'one', 'one', 'other']) publishText(text);
    await eventually(() => texts.includes('other'));
    expect(texts).toEqual(['one', 'other']);
    gate.resolve();
    await eventually(() => answers.length === 2);
    // The answer was sent: a later copy is another request, because the answer may be lost.
    publishText('one');
    await eventually(() => texts.length === 3);
    inbox.release();
  });

  test('The replica answers other requests with the same reply subject', async () => {
    const texts: (string | undefined)[] = [];
    const gate = Promise.withResolvers<void>();
    serve(server.bus, {
      subject: 'shared.*',
      request: z.object({ text: z.string().optional() }),
      handle: async ({ text }, { subject }) => {
        texts.push(`${subject} ${text}`);
        await gate.promise;
        return { ok: true };
      },
    });
    await server.bus.nc.flush();
    const inbox = asker.bus.inbox.open(
      () => undefined,
      'shared',
      () => undefined,
    );
    const publishText = (subject: string, text: string) =>
      asker.bus.nc.publish(subject, JSON.stringify({ text }), { reply: inbox.subject });
    publishText('shared.a', 'one');
    publishText('shared.a', 'two');
    publishText('shared.b', 'one');
    await eventually(() => texts.length === 3);
    expect(texts).toEqual(['shared.a one', 'shared.a two', 'shared.b one']);
    gate.resolve();
    inbox.release();
  });
});
