// Cancels a run wherever it is. One that nobody drives is ended here and now: nobody need have a free place for that. One that is under way is
// told: its owner reads the key at the next checkpoint, and hears the control message at once.
import { isFinal, type RunStatus } from '@millrace/contracts';
import { publish, type JetStreamAccess } from '@millrace/bus';
import { endUndriven } from '../state/end-undriven.ts';
import { askCancel } from '../state/run-store.ts';

/** @returns the status of that moment; undefined: no such run is known */
export async function cancelRun(access: JetStreamAccess, tenant: string, run: string): Promise<RunStatus | undefined> {
  const { bus } = access;
  const end = () => endUndriven(access, { tenant, runId: run }, { status: 'cancelled' });
  const { ended, head } = await end();
  if (ended) return 'cancelled';
  if (!head || isFinal(head.status)) return head?.status;
  await askCancel(access, tenant, run);
  publish(bus, bus.subjects.control(tenant, run), { control: 'cancel' });
  // Its owner may have put it away meanwhile, and looked for the key before it was there.
  return (await end()).ended ? 'cancelled' : head.status;
}
