// Completes a suspension. While the run was active, a cancel or an answer may have been accepted, and its command may
// have been dropped because the run had an owner.
import { stateKeys, type RunHead } from '@millrace/contracts';
import { readEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { endUndriven } from './end-undriven.ts';
import { readResumptions, readSuspension } from '../state/suspension-store.ts';
import { wakeRun } from './wake-run.ts';

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
  const suspension = await readSuspension(access, head);
  const answers = await readResumptions(access, head, suspension?.pending ?? []);
  if (answers.length === 0) return false;
  await wakeRun(access, head, `${head.epoch}`);
  return true;
}
