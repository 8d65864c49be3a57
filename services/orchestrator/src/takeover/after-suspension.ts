// Completes a suspension. While the run was active, a cancel or an answer may have been accepted, and its command may
// have been dropped because the run had an owner.
import { readParty, stateKeys, type RunHead, COMMON_VERSION, type Command } from '@millrace/contracts';
import { readEntry, type JetStreamAccess, publishDurably } from '@millrace/bus';
import { z } from 'zod';
import { endUndriven } from './end-undriven.ts';
import { readStoredAnswers } from '../state/suspension-store.ts';

/** Idempotent. @throws queue-full, bus-unreachable, store-unavailable */
export async function completeSuspension(access: JetStreamAccess, head: RunHead): Promise<void> {
  const { tenant, runId } = head;
  const cancelKey = stateKeys.cancel(tenant, runId);
  if (await readEntry(access, access.bus.names.state, cancelKey, z.unknown())) {
    await endUndriven(access, head, { status: 'cancelled' });
    return;
  }
  await wakeIfAnswered(access, head);
}

/** Publishes a resume command if an answer to one of the run's questions is stored. Returns whether one is. */
export async function wakeIfAnswered(access: JetStreamAccess, head: RunHead): Promise<boolean> {
  const answers = await readStoredAnswers(access, head);
  if (!answers || answers.length === 0) return false;
  const revision = Math.max(...answers.map((answer) => answer.revision));
  await wakeRun(access, head, { reason: `${head.epoch}`, revision });
  return true;
}

/** Two commands with the same reason and revision are one. An answer that is stored again has another revision. */
type Wake = { reason: string; revision: number };

/**
 * Publishes the command that resumes a suspended run with an answer; any orchestrator may claim it. @throws queue-full,
 * bus-unreachable
 */
export async function wakeRun(access: JetStreamAccess, head: RunHead, { reason, revision }: Wake): Promise<void> {
  const { tenant, runId, caller, suspension, deadlineAt } = head;
  // Remaining time of an active run: it may have been suspended by the time that the command arrives, with no more time
  // left than this.
  const deadlineMs = suspension?.remainingMs ?? Math.max(deadlineAt - access.clock.now(), 0);
  const command: Command = {
    command: 'resume',
    v: COMMON_VERSION,
    request: { tenant, runId, deadlineMs, ...(caller !== undefined && { caller }) },
    submittedAt: access.clock.now(),
    answerRevision: revision,
  };
  const id = `${tenant}.${runId}.resume.${reason}.${revision}`;
  await publishDurably(access, access.runShards.nextSubject(readParty(head)), command, id, { isQueue: true });
}
