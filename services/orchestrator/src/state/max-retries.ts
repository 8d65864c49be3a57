// How often processors may ask for another try, in a row. docs/semantics.md, section 5.
import { judgesOf, type Agent, type Plan } from '@millrace/contracts';

/** Where the agent does not say, and has error processors. Without any a retry is an abort. */
const RETRIES_WITH_ERROR_PROCESSORS = 10;

export function maxRetriesOf({ maxProcessorRetries }: Agent, plan: Plan): number {
  return maxProcessorRetries ?? (judgesOf(plan, 'processAPIError').length > 0 ? RETRIES_WITH_ERROR_PROCESSORS : 0);
}
