// The arguments that all stages of a step have in common, and the end of their work on it.
import type { StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

export type StepInput = StageInput & { conversation: NonNullable<StageInput['conversation']> };

export function buildStepInput(run: Run): StepInput {
  const { retryCount, steps, conversation } = run.getState();
  return { retryCount, stepNumber: steps.length, conversation, steps };
}
