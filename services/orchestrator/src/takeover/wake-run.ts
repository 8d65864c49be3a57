// Publishes the command that resumes a suspended run with an answer; any orchestrator may claim it.
import { COMMON_VERSION, type Command, type RunHead } from '@millrace/contracts';
import { publishDurably, type JetStreamAccess } from '@millrace/bus';

/** @param reason distinguishes commands: two with the same reason are one. @throws queue-full, bus-unreachable */
export async function wakeRun(access: JetStreamAccess, head: RunHead, reason: string): Promise<void> {
  const { tenant, runId, suspension, deadlineAt } = head;
  // Remaining time of an active run: it may have been suspended by the time that the command arrives, with no more time
  // left than this.
  const deadlineMs = suspension?.remainingMs ?? Math.max(deadlineAt - access.clock.now(), 0);
  const command: Command = {
    command: 'resume',
    v: COMMON_VERSION,
    request: { tenant, runId, deadlineMs },
    submittedAt: access.clock.now(),
  };
  await publishDurably(access, access.runShards.nextSubject(tenant), command, `${tenant}.${runId}.resume.${reason}`, {
    isQueue: true,
  });
}
