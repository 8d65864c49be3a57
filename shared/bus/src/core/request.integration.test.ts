import { useBus, useNats } from '@millrace/testkit';
import { headers } from 'nats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { request, type BusRequest } from './request.ts';
import { serve } from './serve.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const server = useBus(nats, 'server');

const replySchema = z.object({ answer: z.string() });
const ask = (subject: string, more: Partial<BusRequest<{ answer: string }>> = {}) =>
  request(asker.bus, { subject, payload: {}, reply: replySchema, timeoutMs: 2_000, ...more });
const answering = async (subject: string, handle: (request: unknown) => Promise<unknown>) => {
  serve(server.bus, { subject, request: z.unknown(), handle });
  await server.bus.nc.flush();
};
const numbered = z.object({ n: z.number(), last: z.boolean().optional() });
const readProgress = (answer: z.infer<typeof numbered>) => (answer.last ? 'final' : answer.n);

test('The reply of a request is validated and returned as a value', async () => {
  await answering('plain', async () => ({ answer: 'yes', more: 1 }));
  expect(await ask('plain')).toEqual({ ok: { answer: 'yes' } });
});

test('A request without responders fails at once, long before the timeout', async () => {
  const started = performance.now();
  expect(await ask('nobody', { timeoutMs: 10_000 })).toMatchObject({ error: { code: 'nobody-there', path: 'nobody' } });
  expect(performance.now() - started).toBeLessThan(1_000);
});

test('A request under way ends when its connection is closed', async () => {
  await answering('slow', () => new Promise(() => undefined));
  const bus = await asker.connect({ name: 'closing' });
  const asked = request(bus, { subject: 'slow', payload: {}, reply: replySchema, timeoutMs: 60_000 });
  await bus.close();
  expect(await asked).toMatchObject({ error: { code: 'bus-unreachable' } });
});

test('A timeout names the subject and the time', async () => {
  await answering('silent', () => new Promise(() => undefined));
  expect(await ask('silent', { timeoutMs: 30 })).toMatchObject({
    error: { code: 'timeout', message: 'silent did not answer within 30 ms.' },
  });
});

test('A late reply is not used for the next request', async () => {
  const late = Promise.withResolvers<unknown>();
  let asked = 0;
  await answering('late', () => (asked++ === 0 ? late.promise : Promise.resolve({ answer: 'second' })));
  expect(await ask('late', { timeoutMs: 20 })).toMatchObject({ error: { code: 'timeout' } });
  const second = ask('late');
  late.resolve({ answer: 'first' });
  expect(await second).toEqual({ ok: { answer: 'second' } });
});

test('A coded error of the other side is returned with its remedy', async () => {
  await answering('coded', async () => ({
    error: { code: 'thread-unknown', message: 'No thread.', remedy: 'Make one.' },
  }));
  expect(await ask('coded')).toMatchObject({
    error: { code: 'thread-unknown', message: 'No thread.', remedy: 'Make one.' },
  });
});

test('An invalid reply is an error with the path', async () => {
  await answering('misfit', async () => ({ answer: 3 }));
  expect(await ask('misfit')).toMatchObject({ error: { code: 'message-invalid', path: 'answer' } });
});

test('A reply that is not JSON is an error', async () => {
  const subscription = server.bus.nc.subscribe('garbage', {
    callback: (_error, message) => void message.respond('{"answer":'),
  });
  await server.bus.nc.flush();
  expect(await ask('garbage')).toMatchObject({
    error: { code: 'message-invalid', message: expect.stringContaining('not JSON') },
  });
  subscription.unsubscribe();
});

test("A foreign message with status 503 and a body is not treated as the server's", async () => {
  const status = headers(503, 'No Responders');
  const subscription = server.bus.nc.subscribe('forged', {
    callback: (_error, message) => void message.respond('{"answer":"yes"}', { headers: status }),
  });
  await server.bus.nc.flush();
  expect(await ask('forged')).toEqual({ ok: { answer: 'yes' } });
  subscription.unsubscribe();
});

describe('cancelling a request', () => {
  test('Cancelling before the request sends nothing', async () => {
    let asked = 0;
    await answering('unasked', async () => ({ answer: String(++asked) }));
    expect(await ask('unasked', { signal: AbortSignal.abort() })).toMatchObject({ error: { code: 'cancelled' } });
    await asker.bus.nc.flush();
    await server.bus.nc.flush();
    expect(asked).toBe(0);
  });

  test('Cancelling during the request ends the wait', async () => {
    const asked = Promise.withResolvers<void>();
    await answering('waiting', () => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    const controller = new AbortController();
    const answer = ask('waiting', { signal: controller.signal });
    await asked.promise;
    controller.abort();
    expect(await answer).toMatchObject({ error: { code: 'cancelled' } });
  });
});

describe('progress of a request', () => {
  const track = async (subject: string, numbers: object[]) => {
    const seen: unknown[] = [];
    serve(server.bus, {
      subject,
      request: z.unknown(),
      handle: async (_request, { respond }) => {
        for (const number of numbers) respond(number);
        return undefined;
      },
    });
    await server.bus.nc.flush();
    const answer = await request(asker.bus, {
      subject,
      payload: {},
      reply: numbered,
      timeoutMs: 2_000,
      readProgress,
      onProgress: (progress) => seen.push(progress),
    });
    return { seen, answer };
  };

  test('Progress is passed in order until the final reply', async () => {
    expect(await track('dense', [{ n: 0 }, { n: 1 }, { n: 2, last: true }])).toEqual({
      seen: [{ n: 0 }, { n: 1 }],
      answer: { ok: { n: 2, last: true } },
    });
  });

  test.each([
    ['one that is missing', [{ n: 0 }, { n: 2 }]],
    ['the first that is missing', [{ n: 1 }]],
    ['one that arrives twice', [{ n: 0 }, { n: 0 }]],
  ])('A gap in the progress ends the request: %s', async (name, numbers) => {
    const { answer } = await track(`gap-${name.replaceAll(' ', '-')}`, numbers);
    expect(answer).toMatchObject({ error: { code: 'session-lost' } });
  });
});

describe('a request that cannot be sent', () => {
  test('An oversized request is an error of the sender with the limit and the remedy', async () => {
    const tooLarge = { text: 'x'.repeat(asker.bus.readMaxPayload()) };
    expect(await ask('plain', { payload: tooLarge })).toMatchObject({
      error: {
        code: 'message-too-large',
        message: expect.stringContaining(String(asker.bus.readMaxPayload())),
        remedy: expect.any(String),
      },
    });
  });

  test('A request that is not JSON is an error of the sender', async () => {
    expect(await ask('plain', { payload: { big: 1n } })).toMatchObject({ error: { code: 'not-json' } });
  });
});

test('Concurrent requests each receive their own reply', async () => {
  serve(server.bus, {
    subject: 'echo',
    request: z.object({ text: z.string() }),
    handle: async ({ text }) => ({ answer: text }),
  });
  await server.bus.nc.flush();
  const texts = Array.from({ length: 500 }, (_, at) => `text ${at}`);
  const answers = await Promise.all(texts.map((text) => ask('echo', { payload: { text } })));
  expect(answers).toEqual(texts.map((text) => ({ ok: { answer: text } })));
});

test('A progress handler that throws loses that message, not the connection', async () => {
  serve(server.bus, {
    subject: 'throwing',
    request: z.unknown(),
    handle: async (_request, { respond }) => {
      respond({ n: 0 });
      return { n: 1, last: true };
    },
  });
  await server.bus.nc.flush();
  const onProgress = () => {
    throw new Error('a bug');
  };
  const answer = await request(asker.bus, {
    subject: 'throwing',
    payload: {},
    reply: numbered,
    timeoutMs: 2_000,
    readProgress,
    onProgress,
  });
  expect(answer).toEqual({ ok: { n: 1, last: true } });
  expect(asker.bus.hasConnection()).toBe(true);
});

describe('an error in the headers of the NATS services protocol', () => {
  const throwing = (data: string, fields: Record<string, string>) => {
    const subscription = server.bus.nc.subscribe('svc.thrown', {
      callback: (_error, message) => {
        const more = headers();
        for (const [name, value] of Object.entries(fields)) more.set(name, value);
        server.bus.nc.publish(message.reply ?? '', data, { headers: more });
      },
    });
    return subscription;
  };
  const askOne = () =>
    request(asker.bus, { subject: 'svc.thrown', payload: {}, reply: z.object({}), timeoutMs: 2_000 });

  test.each(['', '{}', 'not JSON'])(
    'An error header is a coded failure with its text, for any data: "%s"',
    async (data) => {
      const subscription = throwing(data, { 'Nats-Service-Error': 'no such table', 'Nats-Service-Error-Code': '500' });
      await server.bus.nc.flush();
      const answer = await askOne();
      subscription.unsubscribe();
      expect(answer).toMatchObject({
        error: { code: 'service-failed', message: expect.stringContaining('500: no such table') },
      });
    },
  );
});
