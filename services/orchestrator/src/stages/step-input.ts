// The arguments that all stages of a step have.
import type { StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

export type StepInput = StageInput & { conversation: NonNullable<StageInput['conversation']> };

/** @param errorRetries tries that processAPIError has asked for: they count as retries in all stages of the step */
export function stepInput(run: Run, errorRetries: number): StepInput {
  const { retryCount, steps, conversation } = run.state();
  return { retryCount: retryCount + errorRetries, stepNumber: steps.length, conversation, steps };
}
