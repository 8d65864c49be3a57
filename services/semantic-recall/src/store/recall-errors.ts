// What a vector store refuses.
import { MillraceError } from '@millrace/contracts';
import { checkTenant } from '@millrace/stores';
import { MAX_RUN_MESSAGES, type RunBlock } from './vector-store.ts';

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
