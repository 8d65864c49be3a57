// Shields work from a stop: memory's save (a stored run must not be reported as cancelled) and the usage of an
// interrupted call. The work has a grace period; after it, the work is abandoned and the run ends as requested.
import type { Run } from './run-context.ts';

type Shield = {
  /** Grace period for work in progress when the run is stopped, ms: a stopped run ends within a second. */
  graceMs: number;
  /** Start the work although the run was stopped before. */
  evenStopped?: boolean;
};

/** Returns the run with a signal that is delayed by the grace period. Fencing is not delayed. */
export function shieldRun(run: Run, { graceMs, evenStopped = false }: Shield): { run: Run; release(): void } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => late.abort(run.signal.reason);
  const onStop = () => {
    if (run.signal.reason === 'fenced') stop();
    else timer = setTimeout(stop, graceMs);
  };
  if (run.signal.aborted && !evenStopped) stop();
  else if (run.signal.aborted) onStop();
  else run.signal.addEventListener('abort', onStop, { once: true });
  return {
    run: {
      ...run,
      signal: late.signal,
      checkInterruption: () => (late.signal.aborted ? run.checkInterruption() : undefined),
    },
    release() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', onStop);
    },
  };
}
