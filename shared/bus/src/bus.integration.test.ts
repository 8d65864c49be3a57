import { MillraceError } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectBus } from './bus.ts';
import { listen, publish } from './listen.ts';
import { createCollectedLog } from './testing/collected-log.ts';

const nats = useNats({
  extraConfig: `authorization { users: [
    { user: all, password: all },
    { user: narrow, password: narrow, permissions: { publish: ["allowed.>"], subscribe: ["_INBOX_narrow.>"] } }
  ] }`,
});
const log = createCollectedLog();
const free = useBus(nats, 'free', { user: 'all', pass: 'all', log });

test('says where it found no server', async () => {
  const failing = connectBus({ servers: 'nats://127.0.0.1:1', name: 'x', connectTimeoutMs: 500 });
  await expect(failing).rejects.toMatchObject({
    code: 'bus-unreachable',
    message: expect.stringContaining('nats://127.0.0.1:1'),
    remedy: expect.stringContaining('NATS_URL'),
  });
  await expect(failing).rejects.toSatisfy(MillraceError.isInstance);
});

test("knows the server's limit for a message", () => {
  expect(free.bus.maxPayload()).toBe(8 * 1024 * 1024);
});

test('ids are tokens, another one for each connection', async () => {
  const second = await free.connect();
  expect(second.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(second.id).not.toBe(free.bus.id);
});

test('a publish that permissions deny is silent to its caller, and loud in the log', async () => {
  const narrowLog = createCollectedLog();
  const narrow = await free.connect({ name: 'narrow', user: 'narrow', pass: 'narrow', log: narrowLog });
  publish(narrow, 'denied.subject', {});
  const line = await eventually(() => narrowLog.lines.find(({ level }) => level === 'error'));
  expect(JSON.stringify(line)).toContain('denied.subject');
});

test('what is listened to is checked: what does not fit is logged with its subject, the rest comes in order', async () => {
  const seen: number[] = [];
  const listening = listen(free.bus, 'numbers.*', z.object({ n: z.number() }), ({ n }) => seen.push(n));
  for (const n of [1, 'two', 3]) publish(free.bus, 'numbers.x', { n });
  await eventually(() => seen.length === 2);
  expect(seen).toEqual([1, 3]);
  expect(log.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ subject: 'numbers.x' }) }),
  );
  listening.stop();
});

test('while the server is away there is no connection; when it is back there is one again', async () => {
  expect(free.bus.connected()).toBe(true);
  await nats.kill();
  await eventually(() => !free.bus.connected());
  await nats.start();
  await eventually(() => free.bus.connected());
  await free.bus.nc.rtt();
});

test('closing does not wait for a server that is gone', async () => {
  const bus = await free.connect();
  await nats.kill();
  await eventually(() => !bus.connected());
  const started = performance.now();
  await bus.close();
  expect(performance.now() - started).toBeLessThan(500);
  expect(bus.connected()).toBe(false);
  await bus.close();
  await nats.start();
});

test('closing sends what was published before', async () => {
  const seen = Promise.withResolvers<string>();
  await eventually(() => free.bus.connected());
  const subscription = free.bus.nc.subscribe('last.words', {
    callback: (_error, message) => seen.resolve(message.string()),
  });
  await free.bus.nc.flush();
  const bus = await free.connect();
  publish(bus, 'last.words', 'x'.repeat(1_000_000));
  await bus.close();
  expect(await seen.promise).toHaveLength(1_000_002);
  subscription.unsubscribe();
});
