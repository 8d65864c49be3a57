// A run whose deadline has long passed and that is still said to be under way has lost its owner for good: nobody waits for it.
import { MillraceError, type RunStatus } from '@millrace/contracts';
import { hasEnded } from './replay-pace.ts';

/** After the deadline, ms: another owner may have to notice, take it over and end it. */
const OVERDUE_MS = 60_000;

/** Undefined where waiting makes sense. `remainingMs`: until the deadline, as the run's owner counts. */
export function overdueRun(status: RunStatus, remainingMs: number | undefined): MillraceError | undefined {
  if (hasEnded(status) || remainingMs === undefined || remainingMs >= -OVERDUE_MS) return undefined;
  const since = Math.round(-remainingMs / 1_000);
  return new MillraceError('timeout', `The run is ${status}, and its deadline passed ${since} s ago: nobody ends it.`, {
    remedy: 'See whether an orchestrator is up, and what its log says; then submit the request with a new run id.',
  });
}
