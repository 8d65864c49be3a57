import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCountAhead, type CountedRequest } from './count-ahead.ts';

/** A shared limiter of 100 requests a minute: its answers arrive when the test releases them. */
function useLimiter(limit = 100) {
  let time = 0;
  let isHeld = false;
  let isAway = false;
  const used = new Map<string, number>();
  const held: (() => void)[] = [];
  const failures: unknown[] = [];
  const count = async (account: string): Promise<CountedRequest> => {
    if (isAway) throw new Error('away');
    const consumedPoints = (used.get(account) ?? 0) + 1;
    used.set(account, consumedPoints);
    if (isHeld) await new Promise<void>((resolve) => void held.push(resolve));
    return { consumedPoints, remainingPoints: Math.max(0, limit - consumedPoints), msBeforeNext: 60_000 - time };
  };
  const ahead = createCountAhead({
    limit,
    count,
    onFailure: (error) => void failures.push(error),
    now: () => time,
  });
  return {
    /** Counts, and waits until the limiter has received the count. */
    async counter(account: string): Promise<CountedRequest> {
      const counted = await ahead(account);
      await nextTurn();
      return counted;
    },
    used,
    failures,
    hold: () => void (isHeld = true),
    release: () => held.splice(0).forEach((resolve) => resolve()),
    fail: () => void (isAway = true),
    advance: (ms: number) => void (time += ms),
  };
}

const isSettled = async (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([
    work.then(() => true),
    nextTurn()
      .then(nextTurn)
      .then(() => false),
  ]);

describe('a counter that counts ahead', () => {
  test('waits for the first answer, and admits the next requests without an answer', async () => {
    const limiter = useLimiter();
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 1, remainingPoints: 99 });
    limiter.hold();
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 2, remainingPoints: 98 });
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 3, remainingPoints: 97 });
    expect(limiter.used.get('a')).toBe(3);
  });

  test('waits if four counts are under way', async () => {
    const limiter = useLimiter();
    await limiter.counter('a');
    limiter.hold();
    for (let request = 0; request < 4; request += 1) await limiter.counter('a');
    const fifth = limiter.counter('a');
    expect(await isSettled(fifth)).toBe(false);
    limiter.release();
    expect(await fifth).toMatchObject({ consumedPoints: 6 });
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 7 });
  });

  test('waits for each answer if more than half of the limit is used, also by other replicas', async () => {
    const limiter = useLimiter();
    await limiter.counter('a');
    limiter.used.set('a', 98);
    // The replica learns of the others with the answer to this request.
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 2 });
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 100, remainingPoints: 0 });
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 101 });
  });

  test('waits for the first answer of the next window', async () => {
    const limiter = useLimiter();
    await limiter.counter('a');
    limiter.advance(60_000);
    limiter.hold();
    expect(await isSettled(limiter.counter('a'))).toBe(false);
  });

  test('never admits more than the limit if one replica counts alone', async () => {
    const limiter = useLimiter(20);
    const counts: CountedRequest[] = [];
    for (let request = 0; request < 50; request += 1) counts.push(await limiter.counter('a'));
    expect(counts.filter(({ consumedPoints }) => consumedPoints <= 20)).toHaveLength(20);
  });

  test('reports a count that fails after its request was admitted, and rejects one that the request waits for', async () => {
    const limiter = useLimiter();
    await limiter.counter('a');
    limiter.fail();
    expect(await limiter.counter('a')).toMatchObject({ consumedPoints: 2 });
    await expect(limiter.counter('b')).rejects.toThrow('away');
    expect(limiter.failures).toEqual([new Error('away')]);
  });
});
