// The expected failures of a history store, worded once for both implementations.
import { MillraceError } from '@millrace/contracts';
import { resourceOf } from '@millrace/stores';
import { MAX_BLOCK_MESSAGES, MAX_LIST_DEPTH, type Page, type RunBlock, type ThreadRef } from './history-store.ts';

/** As errors name it. */
export const STORE = 'message store';

/** Names no owner: whose thread it is, is not the asker's business. */
export function threadForeign({ threadId, owner }: { threadId: string; owner: string }): MillraceError {
  const resource = resourceOf(owner);
  const message =
    resource === undefined
      ? `Thread "${threadId}" belongs to a resource, and the run names none.`
      : `Thread "${threadId}" does not belong to resource "${resource}".`;
  return new MillraceError('thread-foreign', message, {
    remedy: 'Name the resource that the thread was begun with, or use a new thread id.',
  });
}

export function threadUnknown({ tenant, threadId }: ThreadRef): MillraceError {
  return new MillraceError('thread-unknown', `Tenant "${tenant}" has no thread "${threadId}".`, {
    remedy: 'A thread is there once a run on it has ended with an answer. `threads-list` names those that are.',
  });
}

/** @throws message-invalid */
export function checkBlock(block: RunBlock): void {
  if (block.messages.length <= MAX_BLOCK_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `Run "${block.runId}" has ${block.messages.length} messages; one run can store ${MAX_BLOCK_MESSAGES}.`,
    { remedy: 'Send fewer messages with a run: what the thread holds already need not be sent again.' },
  );
}

/** @throws message-invalid */
export function checkDepth({ limit, offset }: Page): void {
  if (offset + limit <= MAX_LIST_DEPTH) return;
  throw new MillraceError('message-invalid', `A list of threads is read to a depth of ${MAX_LIST_DEPTH}.`, {
    path: 'offset',
    remedy: 'Ask for the threads of one resource, or for fewer.',
  });
}
