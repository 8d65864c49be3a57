// Requests that are repeated while no reply arrives: replicas may leave, freeze, or be full.
import { MillraceError, apiReplySchema } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { Msg } from 'nats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { request, type BusRequest } from './core/request.ts';
import { serve } from './core/serve.ts';
import { REJECTED_HEADER, makeHeaders } from './core/wire.ts';

const nats = useNats();
const asker = useBus(nats, 'asker');
const server = useBus(nats, 'server');

const replySchema = z.object({ answer: z.string() });
const ask = (subject: string, more: Partial<BusRequest<{ answer: string }>> = {}) =>
  request(asker.bus, { subject, payload: {}, reply: replySchema, timeoutMs: 10_000, ...more });

test('A repeated request without responders waits for the answer to its first copy', async () => {
  const taken = Promise.withResolvers<Msg>();
  server.bus.nc.subscribe('leaving', { max: 1, callback: (_error, message) => taken.resolve(message) });
  await server.bus.nc.flush();
  const asked = ask('leaving', { repeatEveryMs: 20 });
  const first = await taken.promise;
  // The server answers the copies of this time by itself: the subscription has ended.
  await delay(200);
  first.respond(JSON.stringify({ answer: 'yes' }));
  expect(await asked).toEqual({ ok: { answer: 'yes' } });
});

describe('a repeated request whose other copies reach a full replica', () => {
  /** Resolves with the first copy, after which a full replica receives all others. */
  async function askCrowded(subject: string) {
    const taken = Promise.withResolvers<Msg>();
    server.bus.nc.subscribe(subject, { max: 1, callback: (_error, message) => taken.resolve(message) });
    await server.bus.nc.flush();
    const api = { subject, payload: {}, reply: apiReplySchema, timeoutMs: 10_000 };
    const asked = request(asker.bus, { ...api, repeatEveryMs: 20 });
    const first = await taken.promise;
    serve(server.bus, { subject, maxInFlight: 0, request: z.unknown(), handle: async () => undefined });
    await server.bus.nc.flush();
    expect(await request(asker.bus, api)).toMatchObject({ ok: { error: { code: 'too-many-requests' } } });
    await delay(200);
    return { asked, first };
  }

  test('The request waits for the answer of the replica that accepted a copy', async () => {
    const { asked, first } = await askCrowded('crowded');
    first.respond(JSON.stringify({ ok: 'yes' }));
    expect(await asked).toEqual({ ok: { ok: 'yes' } });
  });

  test('The request fails if that replica is full too', async () => {
    const { asked, first } = await askCrowded('full');
    const full = { error: { code: 'too-many-requests', message: 'full' } };
    first.respond(JSON.stringify(full), { headers: makeHeaders({ [REJECTED_HEADER]: 'full' }) });
    expect(await asked).toMatchObject({ ok: { error: { code: 'too-many-requests' } } });
  });
});

test.each(['too-many-requests', 'nobody-there'] as const)(
  'The error %s of a handler ends a repeated request, and the handler is called once',
  async (code) => {
    let calls = 0;
    let copies = 0;
    const repeated = Promise.withResolvers<void>();
    const handle = async () => {
      calls += 1;
      await repeated.promise;
      // The server joins this copy first. The next one is due after the answer.
      await setImmediate();
      throw new MillraceError(code, 'no');
    };
    serve(server.bus, { subject: `failing.${code}`, request: z.unknown(), handle });
    const callback = () => {
      copies += 1;
      if (copies === 2) repeated.resolve();
    };
    server.bus.nc.subscribe(`failing.${code}`, { callback });
    await server.bus.nc.flush();
    expect(await ask(`failing.${code}`, { repeatEveryMs: 300 })).toMatchObject({ error: { code } });
    expect(calls).toBe(1);
  },
);

test('A request of which no copy has a responder fails at once', async () => {
  expect(await ask('nobody', { repeatEveryMs: 20 })).toMatchObject({
    error: { code: 'nobody-there' },
  });
});

test('A request is repeated in two copies from the second repetition on, so that one of them reaches another replica', async () => {
  let copies = 0;
  server.bus.nc.subscribe('frozen', { callback: () => void (copies += 1) });
  await server.bus.nc.flush();
  const [everyMs, intervals] = [150, 10];
  expect(await ask('frozen', { repeatEveryMs: everyMs, timeoutMs: everyMs * (intervals + 0.5) })).toMatchObject({
    error: { code: 'timeout' },
  });
  await server.bus.nc.flush();
  // One copy for each interval and the first one would be 11; a busy machine skips some intervals.
  expect(copies).toBeGreaterThan(intervals + 3);
  expect(copies).toBeLessThanOrEqual(2 * intervals);
});
