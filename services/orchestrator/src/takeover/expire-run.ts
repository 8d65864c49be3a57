// Fails a suspended run that has waited for its maximum time, unless it is active again, was suspended again, or has an
// answer that no orchestrator was notified of. A run has one timer. If a replaced owner has overwritten its successor's
// timer, that timer is set again when this one fires.
import { isFinal, type Expiry, type RunHead, type WireError } from '@millrace/contracts';
import { setTimer, type JetStreamAccess } from '@millrace/bus';
import { wakeIfAnswered } from './after-suspension.ts';
import { endUndriven } from './end-undriven.ts';
import { deleteRunState } from '../state/delete-run-state.ts';
import { readHead } from '../head/run-head.ts';
import { computeExpiryDueAt } from '../state/suspension-store.ts';

export async function expireRun(access: JetStreamAccess, { tenant, runId, epoch }: Expiry): Promise<void> {
  const address = { tenant, runId };
  const head = (await readHead(access, tenant, runId))?.value;
  if (head && isFinal(head.status)) return deleteRunState(access, head);
  if (head?.status !== 'suspended') return;
  if (head.epoch !== epoch) return renewTimer(access, head);
  if (await wakeIfAnswered(access, head)) return;
  const isMeant = (there: { epoch: number }) => there.epoch === epoch;
  await endUndriven(access, address, { status: 'failed', error: createExpiredError(head) }, isMeant);
}

async function renewTimer(access: JetStreamAccess, { tenant, runId, epoch, suspension }: RunHead): Promise<void> {
  if (suspension) await setTimer(access, { tenant, runId, epoch }, computeExpiryDueAt(suspension.expiresAt));
}

function createExpiredError({ suspension }: RunHead): WireError {
  const since = suspension ? new Date(suspension.at).toISOString() : 'the suspension';
  return {
    code: 'suspension-expired',
    message: `No answer has arrived since ${since}.`,
    remedy: 'Submit the request again with a longer expiresInSeconds.',
  };
}
