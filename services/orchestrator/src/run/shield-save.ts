// Stopping a run whose memory saves is too late: a run that was stored must not be said to be cancelled. The save has a moment to
// come to its end; where it takes longer nobody knows whether it was stored, and the run ends as it was told.
import type { Run } from '../state/run-context.ts';

/** How long a save under way may still take when the run is stopped, ms: a stopped run ends within a second. */
const SAVE_GRACE_MS = 750;

/**
 * The run, deaf to its signal for that long. A new owner is heard at once.
 * @param isRepeated an owner that was lost may have saved already
 */
export function shieldSave(run: Run, isRepeated = false): { run: Run; release(): void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => late.abort(run.signal.reason);
  const onStop = () => {
    if (run.signal.reason === 'fenced') stop();
    else timer = setTimeout(stop, SAVE_GRACE_MS);
  };
  // Stopped before the save has begun: there is nothing to shield.
  if (run.signal.aborted && !isRepeated) stop();
  else if (run.signal.aborted) onStop();
  else run.signal.addEventListener('abort', onStop, { once: true });
  return {
    run: { ...run, signal: late.signal, interruption: () => (late.signal.aborted ? run.interruption() : undefined) },
    release() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', onStop);
    },
  };
}
