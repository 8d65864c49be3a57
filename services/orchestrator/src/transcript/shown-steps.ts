// Returns the steps of a run as its caller sees them: their messages as they passed and as processors left them.
import {
  readMessageText,
  selectMessages,
  readToolCalls,
  type Message,
  type StepResult,
  type ToolResult,
  nameText,
  pickCall,
} from '@millrace/contracts';
import { pickAttachments, buildResponseMessageId } from './response-message.ts';
import type { StatedRun } from './run-transcript.ts';

/**
 * Returns the response messages that may be shown. Messages that processors have changed pass the output chain with
 * `finish`: a run that ends otherwise omits them, and also messages that were never released.
 */
export function listShownMessages(run: StatedRun, isOver = false): Message[] {
  const { conversation, unpassed } = run.getState();
  return selectMessages(conversation, 'response').filter(
    ({ id }) => !unpassed.includes(id) && (isOver || isReleased(run, id)),
  );
}

/** For a run that has not ended well. The text of the open step is cut at the released part: see step-stream.ts. */
function isReleased({ agent: { release }, ref, getState }: StatedRun, id: string): boolean {
  const { open, steps } = getState();
  if (release === 'step') return open?.answer !== undefined || id !== buildResponseMessageId(ref.runId, steps.length);
  return release !== 'result';
}

export function listShownSteps(run: StatedRun, isOver = false): StepResult[] {
  const { steps } = run.getState();
  const messages = new Map(listShownMessages(run, isOver).map((message) => [message.id, message]));
  return steps.map((step) => toShownStep(step, messages.get(buildResponseMessageId(run.ref.runId, step.stepNumber))));
}

/** A step with a removed message has no text. */
function toShownStep(
  { sources: _sources, files: _files, warnings, response, ...step }: StepResult,
  message: Message | undefined,
): StepResult {
  if (!message) return { ...step, text: '', reasoning: '', toolCalls: [], toolResults: [] };
  const toolCalls = readToolCalls(message);
  return {
    ...step,
    text: readMessageText(message),
    reasoning: readReasoning(message),
    toolCalls,
    toolResults: listResults(message),
    ...pickAttachments(message),
    ...(warnings && { warnings }),
    ...(response && { response }),
  };
}

function readReasoning({ content }: Message): string {
  return content.parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join('');
}

function listResults({ content }: Message): ToolResult[] {
  return content.parts.flatMap((part): ToolResult[] => {
    if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
    const { result = null, resultText, isError = false, denied } = part.toolInvocation;
    const outcome = { result, ...nameText('result', resultText), isError };
    return [{ ...pickCall(part.toolInvocation), ...outcome, ...(denied !== undefined && { denied }) }];
  });
}
