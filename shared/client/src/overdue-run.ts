// Detects a run that is still active long after its deadline: it has lost its owner permanently.
import { MillraceError, type RunStatus } from '@millrace/contracts';
import { hasEnded } from './replay-pace.ts';

/** Time after the deadline, ms: another owner may have to detect the loss, take over and end the run. */
const OVERDUE_MS = 60_000;

/** Returns undefined if waiting can help. `remainingMs`: until the deadline by the owner's clock. */
export function createOverdueError(status: RunStatus, remainingMs: number | undefined): MillraceError | undefined {
  if (hasEnded(status) || remainingMs === undefined || remainingMs >= -OVERDUE_MS) return undefined;
  const since = Math.round(-remainingMs / 1_000);
  return new MillraceError(
    'timeout',
    `The run is ${status}, but its deadline passed ${since} s ago: it has no owner.`,
    {
      remedy: 'Check that an orchestrator is running and read its log; then submit the request with a new run id.',
    },
  );
}
