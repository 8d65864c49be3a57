// A save that must not be lost for a short outage: asked again while the store is unavailable, within a bound and until the
// caller gives up. Only for what may be asked twice.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { MillraceError } from '@millrace/contracts';

/** Below a stage's default of 5 s, with room for the last try: the caller hears why it failed, not that nobody answered. */
const TRY_FOR_MS = 2_500;
const PAUSE_MS = 100;

/** @throws the last store-unavailable, any other error at once, the signal's reason */
export async function throughShortOutage<T>(
  save: () => Promise<T>,
  signal: AbortSignal,
  tryForMs: number = TRY_FOR_MS,
): Promise<T> {
  // A process that was stopped reads a call and its cancellation in one go: who has given up is heard before anything is written,
  // so that what a run has reported as skipped is not stored after it.
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
