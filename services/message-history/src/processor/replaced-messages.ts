// Replaces the last messages of a thread with those of a run: the run is refused if the thread has later ones, and its save deletes them
// together with the write of its own messages.
import { MillraceError, type Message } from '@millrace/contracts';
import { chooseMemoryOwner } from '@millrace/stores';
import { forgetMessages, splitIds, type Forget, type ForgottenPlace } from '../store/forget-messages.ts';
import { createTailConflict } from '../store/history-errors.ts';
import type { HistoryStore, OwnedThread } from '../store/history-store.ts';
import { haveSameWords } from '../store/rename-taken.ts';

/** @throws state-conflict unless the last of the messages is the last one of the thread */
export async function refuseOtherEnd(
  store: HistoryStore,
  thread: OwnedThread,
  replaces: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const expected = replaces.at(-1) ?? '';
  const { last } = (await store.findTail(thread, expected, 1, signal).catch(ignoreUnknownThread)) ?? {};
  if (last !== expected) throw createTailConflict(thread.threadId, expected, last);
}

type ForgetParts = { store: HistoryStore; forget: Forget; place: ForgottenPlace; signal: AbortSignal };

/**
 * Deletes the data that other services have derived from the replaced messages, and returns the ids that the save deletes. A message that the
 * run has stored again with the same words stays in place. A repeated save finds the messages that the first one has left.
 */
export async function forgetReplaced(
  { store, forget, place, signal }: ForgetParts,
  replaces: readonly string[],
  own: readonly Message[],
): Promise<string[]> {
  const byId = new Map(own.map((message) => [message.id, message]));
  const thread = { tenant: place.tenant, threadId: place.threadId, owner: chooseMemoryOwner(place) };
  const dropped: string[] = [];
  if (own.length === 0) return dropped;
  for (const some of splitIds(replaces)) {
    const found = (await store.findMessages(thread, some, signal).catch(ignoreUnknownThread)) ?? [];
    const foreign = found.filter((message) => {
      const kept = byId.get(message.id);
      return !kept || !haveSameWords(kept, message);
    });
    await forgetMessages(forget, place, foreign);
    dropped.push(...foreign.map(({ id }) => id));
  }
  return dropped;
}

/** A deletion may have deleted the thread in between. */
function ignoreUnknownThread(error: unknown): undefined {
  if (!MillraceError.isInstance(error) || error.code !== 'thread-unknown') throw error;
}
