// Tells the orchestrators that a suspended run has an answer: any of them goes on with it.
import { STORED_VERSION, type Command, type RunHead } from '@millrace/contracts';
import { publishDurably, type JetStreamAccess } from '@millrace/bus';

/** @param reason what makes two commands the same one. @throws queue-full, bus-unreachable */
export async function wakeRun(access: JetStreamAccess, head: RunHead, reason: string): Promise<void> {
  const { tenant, runId, suspension, deadlineAt } = head;
  // Of one that is under way: it may have been put away by the time that the command comes, and then has no more left than that.
  const deadlineMs = suspension?.remainingMs ?? Math.max(deadlineAt - access.clock.now(), 0);
  const command: Command = {
    command: 'resume',
    v: STORED_VERSION,
    request: { tenant, runId, deadlineMs },
    submittedAt: access.clock.now(),
  };
  await publishDurably(access, access.runShards.nextSubject(tenant), command, `${tenant}.${runId}.resume.${reason}`, {
    isQueue: true,
  });
}
