// Builds the results of steps: the accepted answers with the results of their calls. Pure.
import type { RunState, StepAnswer, StepResult, ToolResult } from '@millrace/contracts';
import { pickAttachments } from '../transcript/response-message.ts';

/** Returns the steps with the one that is not accepted yet. */
export function appendStep(state: RunState, answer: StepAnswer): StepResult[] {
  return [...state.steps, buildStepResult(state, answer, [])];
}

export function buildStepResult(state: RunState, answer: StepAnswer, toolResults: ToolResult[]): StepResult {
  const { text, reasoning, toolCalls, finishReason, usage, model, fromCache } = answer;
  const { latencyMs, warnings, response } = answer;
  return {
    stepNumber: state.steps.length,
    text,
    reasoning,
    toolCalls,
    toolResults,
    finishReason,
    usage,
    model,
    fromCache,
    ...pickAttachments(answer.message),
    ...(latencyMs !== undefined && { latencyMs }),
    ...(warnings && { warnings }),
    ...(response && { response }),
  };
}
