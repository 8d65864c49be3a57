// Polls a condition that has no event, with a bound, instead of sleeping.
import { setTimeout as delay } from 'node:timers/promises';

export type EventuallyOptions = {
  /** 20 s if absent: long enough for a busy machine. */
  timeoutMs?: number;
  /** Between two tries; 10 ms if absent. */
  pollMs?: number;
};

/**
 * The condition's first answer that is neither false, null, undefined nor a throw: `await eventually(() => list.length === 3)`,
 * `const run = await eventually(() => runs.get(id))`. For expectations there is vitest's `vi.waitFor`.
 * @throws with the last error as its cause when the time is up
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 20_000, pollMs = 10 }: EventuallyOptions = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const giveUpAt = Date.now() + timeoutMs;
  let last: unknown;
  do {
    try {
      const answer = await condition();
      if (isThere(answer)) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await delay(pollMs);
  } while (Date.now() < giveUpAt);
  const why = last instanceof Error ? `: ${last.message}` : '';
  throw new Error(`not so within ${timeoutMs} ms${why}`, { cause: last });
}

function isThere<T>(answer: T): answer is NonNullable<Exclude<T, false>> {
  return answer !== undefined && answer !== null && answer !== false;
}
