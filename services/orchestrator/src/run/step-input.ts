// The arguments that all stages of a step have in common, and the end of their work on it.
import type { StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

export type StepInput = StageInput & { conversation: NonNullable<StageInput['conversation']> };

/** Retries that processAPIError requested count in all stages of the step. */
export function buildStepInput(run: Run): StepInput {
  const { retryCount, steps, conversation, open } = run.getState();
  return { retryCount: retryCount + (open?.errorRetries ?? 0), stepNumber: steps.length, conversation, steps };
}

/** Settles the step's chunks: the stages of the step have judged them, and `release: step` releases them. */
export function settleStep(run: Run): void {
  run.chunks.settle(run.getState().open?.firstIndex ?? run.chunks.getNextIndex());
}
