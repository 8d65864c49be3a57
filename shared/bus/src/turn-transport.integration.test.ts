import { eventually, useBus, useNats } from '@millrace/testkit';
import { NodeTransport } from 'nats/lib/node_transport.js';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { request } from './request.ts';
import { serve } from './serve.ts';
import { BUSY_MS, TurnTransport } from './turn-transport.ts';
import { z } from 'zod';

const nats = useNats();
const sender = useBus(nats, 'sender');
const receiver = useBus(nats, 'receiver');

afterEach(() => void vi.restoreAllMocks());

/** What was written to the socket from here on, write by write. */
function watchWrites(): string[] {
  const writes: string[] = [];
  const send = NodeTransport.prototype.send;
  vi.spyOn(NodeTransport.prototype, 'send').mockImplementation(function (this: NodeTransport, frame) {
    writes.push(Buffer.from(frame).toString('latin1'));
    send.call(this, frame);
  });
  return writes;
}

/** How many messages each write had; writes of the client's own accord have none. */
const publishes = (writes: readonly string[]) =>
  writes.map((write) => write.split('PUB ').length - 1).filter((count) => count > 0);

/** All that has come on a subject so far, in order. */
async function received(subject: string): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = [];
  receiver.bus.nc.subscribe(subject, { callback: (_error, message) => void messages.push(message.data) });
  await receiver.bus.nc.flush();
  return messages;
}

/** One after the other, each behind a promise of the one before. */
async function publishInTurn(subject: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    sender.bus.nc.publish(subject, String(at));
    // oxlint-disable-next-line no-await-in-loop -- the client writes what is published before and after a wait in two writes
    await Promise.resolve();
    await Promise.resolve();
  }
}

describe('the transport of a connection', () => {
  test('writes what one piece of work publishes in one write, promises in between or not', async () => {
    const writes = watchWrites();
    await publishInTurn('one.write', 20);
    await nextTurn();
    expect(publishes(writes)).toEqual([20]);
  });

  test('writes a message without waiting for the end of the turn when nothing else was sent', async () => {
    // The busy time of the test before this one is over.
    await delay(BUSY_MS * 2);
    const writes = watchWrites();
    let atEndOfTurn: number[] | undefined;
    setImmediate(() => (atEndOfTurn = publishes(writes)));
    sender.bus.nc.publish('at.once', 'now');
    await nextTurn();
    expect(atEndOfTurn).toEqual([1]);
  });

  test('writes once at the end of a turn that is busy', async () => {
    const writes = watchWrites();
    const work = Array.from({ length: 10 }, (_, at) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      setImmediate(() => {
        sender.bus.nc.publish('busy.turn', String(at));
        resolve();
      });
      return promise;
    });
    await Promise.all(work);
    await nextTurn();
    await nextTurn();
    const counts = publishes(writes);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(10);
    // The first one leaves at once: nobody knows yet that the turn will be busy. On a busy machine a few more do.
    expect(counts.length).toBeLessThanOrEqual(5);
  });

  test('keeps order and bytes, whatever the sizes', async () => {
    const messages = await received('sizes');
    const sizes = [0, 1, 70_000, 3, 65_536, 2, 1_000_000, 10, 300, 64_000, 4_000, 8];
    for (const [at, size] of sizes.entries()) {
      sender.bus.nc.publish('sizes', Buffer.alloc(size, at));
      if (at % 3 === 0) await Promise.resolve();
    }
    await eventually(() => messages.length === sizes.length);
    expect(messages.map((message) => message.length)).toEqual(sizes);
    expect(messages.every((message, at) => message.every((byte) => byte === at))).toBe(true);
  });

  test('answers requests that are asked at once', async () => {
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
  ])('lets out what was published before it is %s', async (how, open) => {
    const subject = `last.${how.replaceAll(' ', '-')}`;
    const messages = await received(subject);
    const { bus, end } = await open();
    bus.nc.publish(subject, 'first');
    await nextTurn();
    for (let at = 0; at < 10; at += 1) bus.nc.publish(subject, String(at));
    await end();
    await eventually(() => messages.length >= 11);
    expect(messages).toHaveLength(11);
  });

  test('is made anew when the server comes back: what is published then arrives once', async () => {
    const messages = await received('after.restart');
    await nats.kill();
    await eventually(() => !sender.bus.connected() && !receiver.bus.connected());
    sender.bus.nc.publish('after.restart', 'lost');
    await nats.start();
    await eventually(() => sender.bus.connected() && receiver.bus.connected());
    await receiver.bus.nc.flush();
    sender.bus.nc.publish('after.restart', 'arrives');
    await eventually(() => messages.length > 0);
    await sender.bus.nc.flush();
    await receiver.bus.nc.flush();
    expect(messages.map((message) => Buffer.from(message).toString())).toEqual(['arrives']);
  });

  test('stands on the very client that it was written for', () => {
    // It overrides four methods of the client's own transport: read those of the new one before this is changed.
    expect(new TurnTransport().version).toBe('3.4.0');
    const own = Object.getOwnPropertyNames(NodeTransport.prototype);
    expect(own).toEqual(expect.arrayContaining(['send', 'close', 'disconnect', 'discard']));
  });
});
