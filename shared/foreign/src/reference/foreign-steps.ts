// Adds the reference's names to results of earlier steps: calls have an `input`, results an `output`.
import type { StepResult } from '@millrace/contracts';

export function toForeignSteps(steps: readonly StepResult[]): object[] {
  return steps.map((step) => ({
    ...step,
    toolCalls: step.toolCalls.map((call) => ({ type: 'tool-call', ...call, input: call.args })),
    toolResults: step.toolResults.map((result) => ({
      type: 'tool-result',
      ...result,
      input: result.args,
      output: result.result,
    })),
  }));
}
