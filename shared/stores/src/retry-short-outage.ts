// Retries a save during a short outage: while the store is unavailable, within a bound and until the caller cancels.
// Only for idempotent calls.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { MillraceError } from '@millrace/contracts';

/**
 * Below a stage's default timeout of 5 s, with time for the last attempt: the caller receives the reason instead of a
 * timeout.
 */
const TRY_FOR_MS = 2_500;
const PAUSE_MS = 100;

/** @throws the last store-unavailable, any other error at once, the signal's reason */
export async function retryShortOutage<T>(
  save: () => Promise<T>,
  signal: AbortSignal,
  tryForMs: number = TRY_FOR_MS,
): Promise<T> {
  // A stopped process reads a call and its cancellation together: it must handle the cancellation before it writes, so
  // that a save that the run reported as skipped is not stored later.
  await nextTurn();
  signal.throwIfAborted();
  const begunAt = performance.now();
  for (;;) {
    try {
      return await save();
    } catch (error) {
      const isAway = MillraceError.isInstance(error) && error.code === 'store-unavailable';
      if (!isAway || performance.now() - begunAt + PAUSE_MS > tryForMs) throw error;
      await pause(PAUSE_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
