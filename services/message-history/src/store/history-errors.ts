// Expected failures of a history store, shared by both implementations.
import { MillraceError } from '@millrace/contracts';
import { findResource } from '@millrace/stores';
import {
  MAX_BLOCK_MESSAGES,
  MAX_LIST_DEPTH,
  type ListRange,
  type HistoryBlock,
  type ThreadRef,
} from './history-store.ts';

/** Name of the store in error messages. */
export const STORE = 'message store';

/** Does not name the owner, because the caller must not learn which resource owns the thread. */
export function createForeignThreadError({ threadId, owner }: { threadId: string; owner: string }): MillraceError {
  const resource = findResource(owner);
  const message =
    resource === undefined
      ? `Thread "${threadId}" belongs to a resource, and the caller names none.`
      : `Thread "${threadId}" does not belong to resource "${resource}".`;
  return new MillraceError('thread-foreign', message, {
    remedy: 'Name the resource that the thread was begun with, or use a new thread id.',
  });
}

export function createUnknownThreadError({ tenant, threadId }: ThreadRef): MillraceError {
  return new MillraceError('thread-unknown', `Tenant "${tenant}" has no thread "${threadId}".`, {
    remedy:
      'A thread exists after its creation, or after a run on it ended with an answer. `threads-list` lists the existing threads.',
  });
}

export function createExistingThreadError({ threadId }: Pick<ThreadRef, 'threadId'>): MillraceError {
  return new MillraceError('state-conflict', `Thread "${threadId}" exists already.`, {
    path: 'threadId',
    remedy: 'Use a new thread id, or update the thread.',
  });
}

/** @param found id of the last message; absent: the thread has no message */
export function createTailConflict(threadId: string, expected: string, found: string | undefined): MillraceError {
  const last = found === undefined ? 'has no message' : `ends with the message "${found}"`;
  return new MillraceError('state-conflict', `Thread "${threadId}" ${last}, not with "${expected}".`, {
    path: 'last',
    remedy: 'Read the messages again: another page or run has changed the thread.',
  });
}

/** @throws message-invalid */
export function checkBlock(block: HistoryBlock): void {
  if (block.messages.length <= MAX_BLOCK_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `Run "${block.runId}" has ${block.messages.length} messages; one run can store ${MAX_BLOCK_MESSAGES}.`,
    { remedy: 'Send fewer messages with a run. Messages that the thread already holds need not be sent again.' },
  );
}

/** @throws message-invalid */
export function checkDepth({ limit, offset }: ListRange): void {
  if (offset + limit <= MAX_LIST_DEPTH) return;
  throw new MillraceError('message-invalid', `A list of threads can be read to a depth of ${MAX_LIST_DEPTH}.`, {
    path: 'offset',
    remedy: 'Request the threads of one resource, or fewer threads.',
  });
}
