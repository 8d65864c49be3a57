// Learns how a run ended, from api.run. A run's chunks may be gone, lost or unreadable: its result is still the answer.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type ApiAnswer, type RunResult, type RunStatus } from '@millrace/contracts';
import { overdueRun } from './overdue-run.ts';
import { hasEnded, isTemporary } from './replay-pace.ts';

/** The state is written before the last chunk is published, so the first answer is mostly the final one. */
const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;
/** How long nobody may answer. */
const GIVE_UP_MS = 30_000;

/** Asks api.run once. */
export type AskRun = (signal: AbortSignal) => Promise<ApiAnswer<'run'>>;

/** @throws what api.run answers (run-unknown, …), or what keeps it from answering; timeout for a run that is long past its deadline and never ends; cancelled when the signal fires */
export async function learnResult(askRun: AskRun, runId: string, signal: AbortSignal): Promise<RunResult> {
  let failingSince: number | undefined;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
    let overdue: MillraceError | undefined;
    try {
      const { status, result, remainingMs } = await askRun(signal);
      failingSince = undefined;
      if (hasEnded(status) || status === 'suspended') return result ?? resultWithout(runId, status);
      overdue = overdueRun(status, remainingMs);
    } catch (error) {
      failingSince ??= performance.now();
      const isBounded = performance.now() - failingSince < GIVE_UP_MS;
      if (!(MillraceError.isInstance(error) && isTemporary(error) && isBounded)) throw error;
    }
    if (overdue) throw overdue;
    await delay(waitMs, undefined, { signal }).catch(() => {
      throw new MillraceError('cancelled', `Nobody waits for the result of ${runId} any more.`);
    });
  }
}

/** Where what it ended with is no longer kept. */
function resultWithout(runId: string, status: RunStatus): RunResult {
  return { runId, status, text: '', finishReason: 'other', usage: {}, messages: [], steps: [], violations: [] };
}
