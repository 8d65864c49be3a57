// The arguments that all stages of a step have.
import type { StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

export type StepInput = StageInput & { conversation: NonNullable<StageInput['conversation']> };

/** Tries that processAPIError has asked for count as retries in all stages of the step. */
export function stepInput(run: Run): StepInput {
  const { retryCount, steps, conversation, open } = run.state();
  return { retryCount: retryCount + (open?.errorRetries ?? 0), stepNumber: steps.length, conversation, steps };
}
