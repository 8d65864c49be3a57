// The check of a verb that its caller has a thread.
import type { Thread } from '@millrace/contracts';
import { chooseMemoryOwner, type MemoryCaller } from '@millrace/stores';

/** @throws thread-unknown, also for a thread of another caller */
export type GetOwnThread = (threadId: string, call: MemoryCaller) => Promise<Thread>;

/** Returns the place of the thread's memory, and the thread with its owner. @throws as GetOwnThread */
export async function findOwnedThread(getOwnThread: GetOwnThread, threadId: string, call: MemoryCaller) {
  const { tenant } = call;
  const { resourceId } = await getOwnThread(threadId, call);
  const place = { tenant, threadId, ...(resourceId !== undefined && { resourceId }) };
  return { place, owned: { tenant, threadId, owner: chooseMemoryOwner(place) } };
}
