// Asks again what may safely be asked twice, while what went wrong may pass by itself: services restart, connections break, an
// answer is lost where the question was not. Bounded; ends at once with its signal.
import { setTimeout as delay } from 'node:timers/promises';
import type { BusLog } from '@millrace/bus';
import { MillraceError, ownMember, type ErrorCode } from '@millrace/contracts';

/** How long after the first try it is tried again, ms. A timeout takes 10 s itself, so it is tried once more. */
const TRIED_AGAIN_FOR_MS: Partial<Record<ErrorCode, number>> = {
  'nobody-there': 10_000,
  'bus-unreachable': 10_000,
  'store-unavailable': 10_000,
  timeout: 15_000,
};
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/**
 * @param what for the log, which says it once
 * @throws what the last try threw; cancelled when the signal fires between two tries
 */
export async function tryAgain<T>(what: string, log: BusLog, signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      const forMs = MillraceError.isInstance(error) ? (ownMember(TRIED_AGAIN_FOR_MS, error.code) ?? 0) : 0;
      if (performance.now() - startedAt + pauseMs > forMs) throw error;
      if (pauseMs === FIRST_PAUSE_MS) log.warn({ because: asText(error) }, `${what} is tried again`);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => {
      throw new MillraceError('cancelled', `${what} was given up.`);
    });
  }
}

const asText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
