import { MillraceError } from '@millrace/contracts';
import { inspect } from 'node:util';
import { eventually, useBus, useNats, createCollectedLog } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectBus } from './bus.ts';
import { listen } from './listen.ts';
import { publish } from './publish.ts';

const nats = useNats({
  extraConfig: `authorization { users: [
    { user: all, password: all },
    { user: narrow, password: narrow, permissions: { publish: ["allowed.>"], subscribe: ["_INBOX.narrow.>", "own.>"] } }
  ] }`,
});
const log = createCollectedLog();
const free = useBus(nats, 'free', { user: 'all', pass: 'all', log });

test('A failed connection names the address without a server', async () => {
  const failing = connectBus({ servers: 'nats://127.0.0.1:1', name: 'x', connectTimeoutMs: 500 });
  await expect(failing).rejects.toMatchObject({
    code: 'bus-unreachable',
    message: expect.stringContaining('nats://127.0.0.1:1'),
    remedy: expect.stringContaining('NATS_URL'),
  });
  await expect(failing).rejects.toSatisfy(MillraceError.isInstance);
});

test('Credentials in the address are used, and explicit ones override them', async () => {
  const address = nats.url.replace('//', '//all:all@');
  const bus = await connectBus({ servers: address, name: 'in-address', connectTimeoutMs: 5_000 });
  expect(await bus.nc.rtt()).toBeGreaterThanOrEqual(0);
  await bus.close();
  const other = await free.connect({ servers: nats.url.replace('//', '//all:wrong@') });
  expect(await other.nc.rtt()).toBeGreaterThanOrEqual(0);
});

test('An unreachable address appears without its credentials in the error and in the log', async () => {
  const silent = createCollectedLog();
  const servers = 'nats://ada:s3cret@127.0.0.1:1';
  const failing = connectBus({ servers, name: 'x', connectTimeoutMs: 500, log: silent });
  await expect(failing).rejects.toMatchObject({ message: 'No NATS server answers at nats://127.0.0.1:1.' });
  await expect(failing).rejects.not.toSatisfy((error: Error) => inspect(error).includes('s3cret'));
  const bus = await free.connect({ servers: nats.url.replace('//', '//all:s3cret@'), log: silent });
  await bus.close();
  expect(silent.lines).not.toEqual([]);
  expect(inspect(silent.lines, { depth: Infinity })).not.toContain('s3cret');
});

test("A connection knows the server's maximum message size", () => {
  expect(free.bus.readMaxPayload()).toBe(8 * 1024 * 1024);
});

test('The id of a connection is a unique token', async () => {
  const second = await free.connect();
  expect(second.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(second.id).not.toBe(free.bus.id);
});

test('A publish that permissions deny returns normally and is logged', async () => {
  const narrowLog = createCollectedLog();
  const narrow = await free.connect({ name: 'narrow', user: 'narrow', pass: 'narrow', log: narrowLog });
  publish(narrow, 'denied.subject', {});
  const line = await eventually(() => narrowLog.lines.find(({ level }) => level === 'error'));
  expect(JSON.stringify(line)).toContain('denied.subject');
});

test('A listener receives valid messages in order; an invalid one is logged with its subject', async () => {
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

test('A connection reports the loss of the server and its return', async () => {
  expect(free.bus.hasConnection()).toBe(true);
  await nats.kill();
  await eventually(() => !free.bus.hasConnection());
  await nats.start();
  await eventually(() => free.bus.hasConnection());
  await free.bus.nc.rtt();
});

test('A listener of the reconnection that throws is logged, and the other ones are called', async () => {
  let called = 0;
  const forget = [
    free.bus.onReconnect(() => {
      throw new Error('broken listener');
    }),
    free.bus.onReconnect(() => void (called += 1)),
  ];
  await nats.kill();
  await eventually(() => !free.bus.hasConnection());
  await nats.start();
  await eventually(() => called === 1);
  forget.forEach((stop) => stop());
  expect(log.lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'a listener of the reconnection failed' }),
  );
});

test('Closing a connection does not wait for a lost server', async () => {
  const bus = await free.connect();
  await nats.kill();
  await eventually(() => !bus.hasConnection());
  const started = performance.now();
  await bus.close();
  expect(performance.now() - started).toBeLessThan(500);
  expect(bus.hasConnection()).toBe(false);
  await bus.close();
  await nats.start();
});

test('Closing a connection flushes pending messages', async () => {
  const seen = Promise.withResolvers<string>();
  await eventually(() => free.bus.hasConnection());
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

test('A message of a timer that fires while its connection closes is dropped', async () => {
  const bus = await connectBus({ servers: nats.url, name: 'closing', user: 'all', pass: 'all' });
  const closing = bus.close();
  expect(bus.nc.isDraining()).toBe(true);
  expect(() => publish(bus, 'late.timer', { late: true })).not.toThrow();
  await closing;
});
