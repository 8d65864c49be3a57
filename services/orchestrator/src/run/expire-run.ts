// A suspended run has waited for as long as it may: it fails. Not where it goes on by now, was put away again, or has an answer that
// nobody has told the orchestrators of.
import type { Expiry, RunHead, WireError } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { wakeIfAnswered } from '../state/after-suspension.ts';
import { endSuspended } from '../state/end-suspended.ts';
import { readHead } from '../state/run-head.ts';

export async function expireRun(access: JetStreamAccess, { tenant, runId, epoch }: Expiry): Promise<void> {
  const address = { tenant, runId };
  const head = (await readHead(access, tenant, runId))?.value;
  if (head?.status !== 'suspended' || head.epoch !== epoch) return;
  if (await wakeIfAnswered(access, head)) return;
  const isMeant = (there: { epoch: number }) => there.epoch === epoch;
  await endSuspended(access, address, { status: 'failed', error: expired(head) }, isMeant);
}

function expired({ suspension }: RunHead): WireError {
  const since = suspension ? new Date(suspension.at).toISOString() : 'it was put away';
  return {
    code: 'suspension-expired',
    message: `Nobody answered what the run has waited for since ${since}.`,
    remedy: 'Submit the request again; let it wait for longer (expiresInSeconds).',
  };
}
