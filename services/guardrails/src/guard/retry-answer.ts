// Retries an answer within the option of the processor and the cap of the agent. A retry above the cap would abort the
// run, whatever the strategy of the processor is.
import type { JsonValue } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';

type RetryArgs = Pick<CommonArgs, 'abort' | 'retryCount' | 'maxProcessorRetries'>;

/** Aborts with a retry while one is left; otherwise returns, and the strategy decides. */
export function retryAnswer(args: RetryArgs, maxRetries: number, reason: string, metadata: JsonValue): void {
  const { retryCount, maxProcessorRetries = Infinity } = args;
  if (retryCount < Math.min(maxRetries, maxProcessorRetries)) args.abort(reason, { retry: true, metadata });
}
