import { describe, expect, test } from 'vitest';
import { MAX_OBSERVED_WAITING, createObserverQueues } from './observer-queues.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('calls of an observed entry', () => {
  test('of one entry run one after the other; those of different entries run concurrently', async () => {
    const queues = createObserverQueues();
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    queues.add('a', async () => {
      order.push('a1');
      await gate.promise;
    });
    queues.add('a', async () => void order.push('a2'));
    queues.add('b', async () => void order.push('b1'));
    await new Promise(setImmediate);
    expect(order).toEqual(['a1', 'b1']);
    gate.resolve();
    await queues.end(1_000);
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  test("are dropped above the queue's bound, and accepted again when it has room", async () => {
    const queues = createObserverQueues();
    const gate = Promise.withResolvers<void>();
    let made = 0;
    const add = () => queues.add('a', async () => (await gate.promise, void (made += 1)));
    for (let at = 0; at <= MAX_OBSERVED_WAITING; at += 1) expect(add()).toBe(true);
    expect(add()).toBe(false);
    expect(queues.add('b', async () => undefined)).toBe(true);
    gate.resolve();
    await new Promise(setImmediate);
    expect(add()).toBe(true);
    await queues.end(1_000);
    expect(made).toBe(MAX_OBSERVED_WAITING + 2);
  });

  test('do not keep the next one from running if they throw', async () => {
    const queues = createObserverQueues();
    let made = false;
    queues.add('a', async () => Promise.reject(new Error('broken')));
    queues.add('a', async () => void (made = true));
    await queues.end(1_000);
    expect(made).toBe(true);
  });

  test('are abandoned when the run has been over for long enough, and none is accepted after it', async () => {
    const queues = createObserverQueues();
    const order: string[] = [];
    queues.add('a', async (signal) => (await untilAborted(signal), void order.push('given up')));
    queues.add('a', async (signal) => void order.push(`then, given up ${signal.aborted}`));
    await queues.end(0);
    expect(order).toEqual(['given up', 'then, given up true']);
    expect(queues.add('a', async () => undefined)).toBe(false);
  });
});
