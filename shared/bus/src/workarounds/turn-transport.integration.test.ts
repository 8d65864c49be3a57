import { eventually, useBus, useNats } from '@millrace/testkit';
import { NodeTransport } from 'nats/lib/node_transport.js';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { request } from '../core/request.ts';
import { serve } from '../core/serve.ts';
import { BUSY_MS, TurnTransport } from './turn-transport.ts';
import { z } from 'zod';

const nats = useNats();
const sender = useBus(nats, 'sender');
const receiver = useBus(nats, 'receiver');

afterEach(() => void vi.restoreAllMocks());

/** Records the writes to the socket from here on. */
function watchWrites(): string[] {
  const writes: string[] = [];
  const send = NodeTransport.prototype.send;
  vi.spyOn(NodeTransport.prototype, 'send').mockImplementation(function (this: NodeTransport, frame) {
    writes.push(Buffer.from(frame).toString('latin1'));
    send.call(this, frame);
  });
  return writes;
}

/** Number of messages per write; the client's own writes have none. */
const publishes = (writes: readonly string[]) =>
  writes.map((write) => write.split('PUB ').length - 1).filter((count) => count > 0);

/** All messages on a subject so far, in order. */
async function collectReceived(subject: string): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  receiver.bus.nc.subscribe(subject, { callback: (_error, message) => void messages.push(message.data) });
  await receiver.bus.nc.flush();
  return messages;
}

/** In sequence, each after a promise of the preceding one. */
async function publishInTurn(subject: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    sender.bus.nc.publish(subject, String(at));
    // oxlint-disable-next-line no-await-in-loop -- the client writes what is published before and after a wait in two writes
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe('the transport of a connection', () => {
  test('The transport writes all messages of one task in one write, also across promises', async () => {
    const writes = watchWrites();
    await publishInTurn('one.write', 20);
    await nextTurn();
    expect(publishes(writes)).toEqual([20]);
  });

  test('The transport writes a single message without waiting for the end of the turn', async () => {
    // The busy time of the preceding test is over.
    await delay(BUSY_MS * 2);
    const writes = watchWrites();
    let atEndOfTurn: number[] | undefined;
    setImmediate(() => (atEndOfTurn = publishes(writes)));
    sender.bus.nc.publish('at.once', 'now');
    await nextTurn();
    expect(atEndOfTurn).toEqual([1]);
  });

  test('The transport writes once at the end of a busy turn', async () => {
    await delay(BUSY_MS * 2);
    const writes = watchWrites();
    // On a slow machine the messages of one turn are further apart than the time that marks a turn as busy.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    const work = Array.from({ length: 10 }, (_, at) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      setImmediate(() => {
        sender.bus.nc.publish('busy.turn', String(at));
        resolve();
      });
      return promise;
    });
    await Promise.all(work);
    clock.mockRestore();
    await nextTurn();
    // The turn is not busy yet when the transport sends the first message.
    expect(publishes(writes)).toEqual([1, 9]);
  });

  test('The transport keeps order and bytes for all sizes', async () => {
    const messages = await collectReceived('sizes');
    const sizes = [0, 1, 70_000, 3, 65_536, 2, 1_000_000, 10, 300, 64_000, 4_000, 8];
    for (const [at, size] of sizes.entries()) {
      sender.bus.nc.publish('sizes', Buffer.alloc(size, at));
      if (at % 3 === 0) await Promise.resolve();
    }
    await eventually(() => messages.length === sizes.length);
    expect(messages.map((message) => message.length)).toEqual(sizes);
    expect(messages.every((message, at) => message.every((byte) => byte === at))).toBe(true);
  });

  test('The transport answers concurrent requests', async () => {
    serve(receiver.bus, {
      subject: 'twice',
      request: z.object({ n: z.number() }),
      handle: async ({ n }) => ({ n: n * 2 }),
    });
    await receiver.bus.nc.flush();
    const reply = z.object({ n: z.number() });
    const asked = Array.from({ length: 50 }, (_, n) =>
      request(sender.bus, { subject: 'twice', payload: { n }, reply, timeoutMs: 5_000 }),
    );
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 50 }, (_, n) => ({ ok: { n: n * 2 } })));
  });

  test.each([
    ['closed', async () => sender.connect().then((bus) => ({ bus, end: () => bus.close() }))],
    ['drained', async () => sender.connect().then((bus) => ({ bus, end: () => bus.nc.drain() }))],
    ['cut off by its own process', async () => sender.connect().then((bus) => ({ bus, end: () => bus.nc.close() }))],
  ])('The transport flushes published messages before it is %s', async (how, open) => {
    const subject = `last.${how.replaceAll(' ', '-')}`;
    const messages = await collectReceived(subject);
    const { bus, end } = await open();
    bus.nc.publish(subject, 'first');
    await nextTurn();
    for (let at = 0; at < 10; at += 1) bus.nc.publish(subject, String(at));
    await end();
    await eventually(() => messages.length >= 11);
    expect(messages).toHaveLength(11);
  });

  test('The transport is created again after a reconnect: later messages arrive once', async () => {
    const messages = await collectReceived('after.restart');
    await nats.kill();
    await eventually(() => !sender.bus.hasConnection() && !receiver.bus.hasConnection());
    sender.bus.nc.publish('after.restart', 'lost');
    await nats.start();
    await eventually(() => sender.bus.hasConnection() && receiver.bus.hasConnection());
    await receiver.bus.nc.flush();
    sender.bus.nc.publish('after.restart', 'arrives');
    await eventually(() => messages.length > 0);
    await sender.bus.nc.flush();
    await receiver.bus.nc.flush();
    expect(messages.map((message) => Buffer.from(message).toString())).toEqual(['arrives']);
  });

  test('The transport matches the version of the client that it was written for', () => {
    // It overrides four methods of the client's own transport: read those of the new version before changing this.
    expect(new TurnTransport().version).toBe('3.4.0');
    const own = Object.getOwnPropertyNames(NodeTransport.prototype);
    expect(own).toEqual(expect.arrayContaining(['send', 'close', 'disconnect', 'discard']));
  });
});
