// The expected failures of a vector store, worded once for both implementations.
import { isToken, MillraceError } from '@millrace/contracts';
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

/** A tenant is a token: it can hold nothing that would end its part of an id. @throws token-invalid */
export function checkTenant(tenant: string): string {
  if (isToken(tenant)) return tenant;
  throw new MillraceError('token-invalid', `"${tenant}" is not a tenant.`, {
    remedy: 'Use 1 to 64 characters out of A-Z, a-z, 0-9, "_" and "-".',
  });
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
