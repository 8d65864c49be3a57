// Errors with which a vector store rejects a block.
import { MillraceError } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { MAX_RUN_MESSAGES, type VectorBlock } from './vector-store.ts';

/** @throws token-invalid, message-invalid */
export function checkBlock({ tenant, runId, messages }: VectorBlock): void {
  checkTenant(tenant);
  if (messages.length <= MAX_RUN_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `Run "${runId}" has ${messages.length} messages; one run can index ${MAX_RUN_MESSAGES}.`,
    { remedy: 'Send fewer messages with a run. Messages that the thread already holds need not be sent again.' },
  );
}
