// Cancels a run wherever it is. A run without an owner is ended here, without a place in an orchestrator. A running one has its cancel key
// written, which its owner reads at the next checkpoint, and gets a control message. The cancel key of an unknown run is a tombstone: the
// submission may still be on its way, and ends as cancelled when it arrives.
import { isFinal, type RunStatus } from '@millrace/contracts';
import { publish, type JetStreamAccess } from '@millrace/bus';
import { endUndriven } from '../takeover/end-undriven.ts';
import { FINAL_TTL_SECONDS } from '../state/run-head.ts';
import { askCancel } from '../state/run-store.ts';

/** Longer than a stopped orchestrator is expected to hold an unread submission; after it the id may be submitted again. */
const TOMBSTONE_SECONDS = 600;

/** @returns the status before the cancellation, or `cancelled`; undefined if no such run is known */
export async function cancelRun(access: JetStreamAccess, tenant: string, run: string): Promise<RunStatus | undefined> {
  const { bus } = access;
  const end = () => endUndriven(access, { tenant, runId: run }, { status: 'cancelled' });
  const { ended, head } = await end();
  if (ended) return 'cancelled';
  if (head && isFinal(head.status)) return head.status;
  await askCancel(access, tenant, run, head ? FINAL_TTL_SECONDS : TOMBSTONE_SECONDS);
  publish(bus, bus.subjects.control(tenant, run), { control: 'cancel' });
  // The head may have been created, or the run suspended, before the key was written.
  const again = await end();
  return again.ended ? 'cancelled' : (again.head ?? head)?.status;
}
