// The expected failures of a vector store, worded once for both implementations.
import { MillraceError } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { MAX_RUN_MESSAGES, type RunBlock } from './vector-store.ts';

export function storeUnavailable(what: string, reason: string, cause: unknown): MillraceError {
  return new MillraceError('store-unavailable', `The vector store did not ${what}: ${reason}`, {
    remedy: 'Check that the store runs and is reached from here, and ask again.',
    cause,
  });
}

export function saveSuperseded({ runId, epoch }: RunBlock, savedEpoch: number): MillraceError {
  return new MillraceError(
    'save-superseded',
    `Run "${runId}" was saved by epoch ${savedEpoch}; ${epoch} came too late.`,
    {
      remedy: 'Nothing: a later owner of the run has indexed its messages.',
    },
  );
}

/** @throws token-invalid, message-invalid */
export function checkBlock({ tenant, runId, messages }: RunBlock): void {
  checkTenant(tenant);
  if (messages.length <= MAX_RUN_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `Run "${runId}" has ${messages.length} messages; one run can index ${MAX_RUN_MESSAGES}.`,
    { remedy: 'Send fewer messages with a run: what the thread holds already need not be sent again.' },
  );
}
