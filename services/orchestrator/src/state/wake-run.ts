// Tells the orchestrators that a suspended run has an answer: any of them goes on with it.
import type { Command, RunHead } from '@millrace/contracts';
import { publishDurably, type JetStreamAccess } from '@millrace/bus';

/** What is left of a run whose head does not say it, ms: it is under way, and its owner finds the answer itself. */
const UNKNOWN_REMAINING_MS = 60_000;

/** @param reason what makes two commands the same one. @throws queue-full, bus-unreachable */
export async function wakeRun(access: JetStreamAccess, head: RunHead, reason: string): Promise<void> {
  const { tenant, runId, suspension } = head;
  const deadlineMs = suspension?.remainingMs ?? UNKNOWN_REMAINING_MS;
  const command: Command = { command: 'resume', request: { tenant, runId, deadlineMs }, submittedAt: Date.now() };
  await publishDurably(access, access.bus.subjects.runs(tenant), command, `${tenant}.${runId}.resume.${reason}`);
}
