// Requests the result of a run from api.run. The result is available even if chunks are expired, lost or invalid.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type ApiAnswer, type RunResult, type RunStatus } from '@millrace/contracts';
import { hasEnded, isTemporary } from './replay-pace.ts';

/** The state is written before the last chunk is published, so the first reply is usually final. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;
/** Maximum time without responders. */
const GIVE_UP_MS = 30_000;

/** Sends one request to api.run. */
export type AskRun = (signal: AbortSignal) => Promise<ApiAnswer<'run'>>;

/**
 * @throws errors of api.run (run-unknown, …) and of the connection; timeout for a run that is active long after its
 * deadline; cancelled when the signal fires
 */
export async function learnResult(askRun: AskRun, runId: string, signal: AbortSignal): Promise<RunResult> {
  let failingSince: number | undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    let overdue: MillraceError | undefined;
    try {
      const { status, result, remainingMs } = await askRun(signal);
      failingSince = undefined;
      if (hasEnded(status) || status === 'suspended') return result ?? buildEmptyResult(runId, status);
      overdue = createOverdueError(status, remainingMs);
    } catch (error) {
      failingSince ??= performance.now();
      const isBounded = performance.now() - failingSince < GIVE_UP_MS;
      if (!(MillraceError.isInstance(error) && isTemporary(error) && isBounded)) throw error;
    }
    if (overdue) throw overdue;
    await delay(waitMs, undefined, { signal }).catch(() => {
      throw new MillraceError('cancelled', `Waiting for the result of ${runId} was cancelled.`);
    });
  }
}

/** Used if the stored result has expired. */
function buildEmptyResult(runId: string, status: RunStatus): RunResult {
  return { runId, status, text: '', finishReason: 'other', usage: {}, messages: [], steps: [], violations: [] };
}

/** Time after the deadline, ms: another owner may have to detect the loss, take over and end the run. */
const OVERDUE_MS = 60_000;

/**
 * Creates the error for a run that is still active long after its deadline: it has lost its owner permanently. Returns
 * undefined if waiting can help. `remainingMs`: until the deadline by the owner's clock.
 */
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
