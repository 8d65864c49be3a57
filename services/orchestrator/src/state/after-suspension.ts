// What a run that has just been put away may have missed: whoever cancelled it while it was under way was told that it will stop, whoever
// answered it then, that the answer is accepted; and the command that said so may have found the run's owner at work.
import { stateKeys, type RunHead } from '@millrace/contracts';
import { readEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { endUndriven } from './end-undriven.ts';
import { readResumptions, readSuspension } from './suspension-store.ts';
import { wakeRun } from './wake-run.ts';

/** May be done again. @throws queue-full, bus-unreachable, store-unavailable */
export async function afterSuspension(access: JetStreamAccess, head: RunHead): Promise<void> {
  const { tenant, runId } = head;
  const cancelKey = stateKeys.cancel(tenant, runId);
  if (await readEntry(access, access.bus.names.state, cancelKey, z.unknown())) {
    await endUndriven(access, head, { status: 'cancelled' });
    return;
  }
  await wakeIfAnswered(access, head);
}

/** Whether something that the run waits for has an answer: the orchestrators are told of it then. */
export async function wakeIfAnswered(access: JetStreamAccess, head: RunHead): Promise<boolean> {
  const suspension = await readSuspension(access, head);
  const answers = await readResumptions(access, head, suspension?.pending ?? []);
  if (answers.length === 0) return false;
  await wakeRun(access, head, `${head.epoch}`);
  return true;
}
