// The expected failures of a history store, worded once for both implementations.
import { MillraceError } from '@millrace/contracts';
import { resourceOf } from '@millrace/stores';
import { MAX_BLOCK_MESSAGES, type RunBlock, type ThreadRef } from './history-store.ts';

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

export function saveSuperseded({ runId, epoch }: RunBlock, savedEpoch: number): MillraceError {
  return new MillraceError(
    'save-superseded',
    `Run "${runId}" was saved by epoch ${savedEpoch}; ${epoch} came too late.`,
    {
      remedy: 'Nothing: a later owner of the run has saved its messages.',
    },
  );
}

export function storeUnavailable(what: string, cause: unknown): MillraceError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError('store-unavailable', `The message store did not ${what}: ${reason}`, {
    remedy: 'Check that the store runs and is reached from here, and ask again.',
    cause,
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
