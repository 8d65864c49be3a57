// A suspended run has waited for as long as it may: it fails. Not where it goes on by now, was put away again, or has an answer that
// nobody has told the orchestrators of. A run has one timer: an owner that was replaced and wakes up late may have put its own in the place
// of that of the next one, which is made anew then.
import { isFinal, type Expiry, type RunHead, type WireError } from '@millrace/contracts';
import { setTimer, type JetStreamAccess } from '@millrace/bus';
import { wakeIfAnswered } from '../state/after-suspension.ts';
import { endUndriven } from '../state/end-undriven.ts';
import { forgetRun } from '../state/forget-run.ts';
import { readHead } from '../state/run-head.ts';
import { expiryDueAt } from '../state/suspension-store.ts';

export async function expireRun(access: JetStreamAccess, { tenant, runId, epoch }: Expiry): Promise<void> {
  const address = { tenant, runId };
  const head = (await readHead(access, tenant, runId))?.value;
  if (head && isFinal(head.status)) return forgetRun(access, head);
  if (head?.status !== 'suspended') return;
  if (head.epoch !== epoch) return renewTimer(access, head);
  if (await wakeIfAnswered(access, head)) return;
  const isMeant = (there: { epoch: number }) => there.epoch === epoch;
  await endUndriven(access, address, { status: 'failed', error: expired(head) }, isMeant);
}

async function renewTimer(access: JetStreamAccess, { tenant, runId, epoch, suspension }: RunHead): Promise<void> {
  if (suspension) await setTimer(access, { tenant, runId, epoch }, expiryDueAt(suspension.expiresAt));
}

function expired({ suspension }: RunHead): WireError {
  const since = suspension ? new Date(suspension.at).toISOString() : 'it was put away';
  return {
    code: 'suspension-expired',
    message: `Nobody answered what the run has waited for since ${since}.`,
    remedy: 'Submit the request again; let it wait for longer (expiresInSeconds).',
  };
}
