// Cancels a run wherever it is. A run without an owner is ended here, without a place in an orchestrator. A running one has its cancel key
// written, which its owner reads at the next checkpoint, and gets a control message. The cancel key of an unknown run is a tombstone: the
// submission may still be on its way, and ends as cancelled when it arrives. A marker in place of the head makes that submission read the
// key. The tombstone of a caller holds for its own submissions alone, and that of a cancel which names a submission for that one: the caller
// may submit the run again. A submission that has joined the run since keeps it.
import { isFinal, isOperator, type RunHead, type RunStatus } from '@millrace/contracts';
import { publish, type JetStreamAccess } from '@millrace/bus';
import { endUndriven } from '../takeover/end-undriven.ts';
import { FINAL_TTL_SECONDS, markAbsentHead } from '../head/run-head.ts';
import { askCancel, keepTombstone, readJoin } from '../state/run-store.ts';
import { isVisible } from './run-address.ts';

/** Longer than a stopped orchestrator is expected to hold an unread submission; after it the id may be submitted again. */
const TOMBSTONE_SECONDS = 600;

type CancelledRun = {
  tenant: string;
  run: string;
  caller: string;
  /** The submission that the caller has given up. */
  submission?: string | undefined;
};

/**
 * @returns the status before the cancellation, or `cancelled`; undefined if no run of that id is known that the caller
 * can see
 */
export async function cancelRun(
  access: JetStreamAccess,
  { tenant, run, caller, submission }: CancelledRun,
): Promise<RunStatus | undefined> {
  const { bus } = access;
  const joined = submission === undefined ? undefined : await readJoin(access, tenant, run);
  const isOwn = (head: RunHead) =>
    isVisible(head, { caller }) && (submission === undefined || isHeldBy(head, joined, submission));
  const end = () => endUndriven(access, { tenant, runId: run }, { status: 'cancelled' }, isOwn);
  const ask = async (ttlSeconds: number) => {
    await askCancel(access, tenant, run, ttlSeconds);
    publish(bus, bus.subjects.control(tenant, run), { control: 'cancel' });
  };
  const { ended, head } = await end();
  if (ended) return 'cancelled';
  if (head && !isOwn(head)) return undefined;
  if (head && isFinal(head.status)) return head.status;
  const isForAll = isOperator(caller) && submission === undefined;
  if (head || isForAll) await ask(head ? FINAL_TTL_SECONDS : TOMBSTONE_SECONDS);
  else await keepTombstone(access, { tenant, run, caller, submission }, TOMBSTONE_SECONDS);
  // After the key: a submission that finds the marker finds the key too.
  if (!head) await markAbsentHead(access, tenant, run, TOMBSTONE_SECONDS);
  // The head may have been created, or the run suspended, before the key was written.
  const again = await end();
  if (again.ended) return 'cancelled';
  if (!again.head || !isOwn(again.head)) return head?.status;
  // The run began between the two reads, and its owner does not read the tombstone.
  if (!head && !isForAll && !isFinal(again.head.status)) await ask(FINAL_TTL_SECONDS);
  return again.head.status;
}

/**
 * Returns false if a submission that its caller has not given up has created the run, or joined it. A head without the name of its
 * submission, as older versions create it, belongs to each.
 */
function isHeldBy(head: RunHead, joined: { submission?: string | undefined } | undefined, submission: string): boolean {
  if (joined) return joined.submission === submission;
  return head.submission === undefined || head.submission === submission;
}
