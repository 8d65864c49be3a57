// The steps of a run as its caller sees them: what their messages say, as those were let through and as processors left them.
import {
  messageText,
  messagesOf,
  toolCallsOf,
  type Message,
  type StepResult,
  type ToolResult,
} from '@millrace/contracts';
import { attachmentsOf, responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';

/**
 * The response messages that may be shown. What processors have worded passes the output chain with `finish`: of a run that ends
 * otherwise it is left out, and so is what was never released.
 */
export function shownMessages(run: Run, isOver = false): Message[] {
  const { conversation, unpassed } = run.state();
  return messagesOf(conversation, 'response').filter(
    ({ id }) => !unpassed.includes(id) && (isOver || isReleased(run, id)),
  );
}

/** Of a run that has not ended well. What the step that is open has streamed is cut there: see step-stream.ts. */
function isReleased({ agent: { release }, ref, state }: Run, id: string): boolean {
  const { open, steps } = state();
  if (release === 'step') return open?.answer !== undefined || id !== responseMessageId(ref.runId, steps.length);
  return release !== 'result';
}

export function shownSteps(run: Run, isOver = false): StepResult[] {
  const { steps } = run.state();
  const messages = new Map(shownMessages(run, isOver).map((message) => [message.id, message]));
  return steps.map((step) => shownStep(step, messages.get(responseMessageId(run.ref.runId, step.stepNumber))));
}

/** A step whose message was removed says nothing. */
function shownStep(
  { sources: _sources, files: _files, warnings, response, ...step }: StepResult,
  message: Message | undefined,
): StepResult {
  if (!message) return { ...step, text: '', reasoning: '', toolCalls: [], toolResults: [] };
  const toolCalls = toolCallsOf(message);
  return {
    ...step,
    text: messageText(message),
    reasoning: reasoningOf(message),
    toolCalls,
    toolResults: resultsOf(message),
    ...attachmentsOf(message),
    ...(warnings && { warnings }),
    ...(response && { response }),
  };
}

function reasoningOf({ content }: Message): string {
  return content.parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join('');
}

function resultsOf({ content }: Message): ToolResult[] {
  return content.parts.flatMap((part): ToolResult[] => {
    if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
    const { toolCallId, toolName, args, result = null, isError = false, denied } = part.toolInvocation;
    return [{ toolCallId, toolName, args, result, isError, ...(denied !== undefined && { denied }) }];
  });
}
