// How often processors may ask for another try, in a row. docs/semantics.md, section 5.
import type { Agent, Plan } from '@millrace/contracts';

/** Where the agent does not say, and has error processors. Without any a retry is an abort. */
const RETRIES_WITH_ERROR_PROCESSORS = 10;

export function maxRetriesOf({ maxProcessorRetries }: Agent, { order }: Plan): number {
  return maxProcessorRetries ?? ((order.processAPIError?.length ?? 0) > 0 ? RETRIES_WITH_ERROR_PROCESSORS : 0);
}
