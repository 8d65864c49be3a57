// Retries an idempotent request while its error may be temporary: services restart, connections break, replies are
// lost. Bounded; ends at once with its signal.
import { setTimeout as delay } from 'node:timers/promises';
import type { BusLog } from '@millrace/bus';
import { MillraceError, getOwnMember, type ErrorCode } from '@millrace/contracts';

/** Duration of retries after the first attempt, ms. A timeout takes 10 s itself, so it is retried once. */
const TRIED_AGAIN_FOR_MS: Partial<Record<ErrorCode, number>> = {
  'nobody-there': 10_000,
  'bus-unreachable': 10_000,
  'store-unavailable': 10_000,
  timeout: 15_000,
};
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 1_000;

/**
 * @param what name for the log, which is written once
 * @throws the error of the last attempt; cancelled when the signal fires between attempts
 */
export async function retryRequest<T>(
  what: string,
  log: BusLog,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await ask();
    } catch (error) {
      const forMs = MillraceError.isInstance(error) ? (getOwnMember(TRIED_AGAIN_FOR_MS, error.code) ?? 0) : 0;
      if (performance.now() - startedAt + pauseMs > forMs) throw error;
      if (pauseMs === FIRST_PAUSE_MS) log.warn({ because: asText(error) }, `retrying ${what}`);
    }
    await delay(pauseMs, undefined, { signal }).catch(() => {
      throw new MillraceError('cancelled', `${what} was cancelled.`);
    });
  }
}

const asText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
