// What may still be done for a run that is stopped: memory's save (a run that was stored must not be said to be cancelled), and telling
// what a call took that was cut off. It has a moment to come to its end; what takes longer is given up, and the run ends as it was told.
import type { Run } from './run-context.ts';

type Shield = {
  /** How long what is under way may still take when the run is stopped, ms: a stopped run ends within a second. */
  graceMs: number;
  /** It is begun though the run was stopped before. */
  evenStopped?: boolean;
};

/** The run, deaf to its signal for that long. A new owner is heard at once. */
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
    run: { ...run, signal: late.signal, interruption: () => (late.signal.aborted ? run.interruption() : undefined) },
    release() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', onStop);
    },
  };
}
