// Presents a model's answer in the common form of frameworks: its text and its calls. Changes by a processor become the
// answer.
import type { ToolCall } from '@millrace/contracts';
import type { ProcessOutputStepArgs } from '@millrace/processor';
import type { PlainCall } from './plain-messages.ts';

export type PlainAnswer = {
  content: string;
  toolCalls: PlainCall[];
  finishReason: string;
  usage: ProcessOutputStepArgs['usage'];
};

export function toPlainAnswer({ text, toolCalls, finishReason, usage }: ProcessOutputStepArgs): PlainAnswer {
  const calls = toolCalls.map(({ toolCallId, toolName, args }) => ({ id: toolCallId, name: toolName, args }));
  return { content: text, toolCalls: structuredClone(calls), finishReason, usage: { ...usage } };
}

/**
 * Returns the changed parts of the answer; undefined if nothing changed. Calls may be changed and removed, not added:
 * the model has not requested those.
 */
export function answerChanges(
  { text, toolCalls }: Pick<ProcessOutputStepArgs, 'text' | 'toolCalls'>,
  answer: Pick<PlainAnswer, 'content' | 'toolCalls'>,
): { text?: string; toolCalls?: ToolCall[] } | undefined {
  const calls = answer.toolCalls.map(({ id, name, args }): ToolCall => ({ toolCallId: id, toolName: name, args }));
  const changed = {
    ...(answer.content !== text && { text: answer.content }),
    ...(JSON.stringify(calls) !== JSON.stringify(toolCalls) && { toolCalls: calls }),
  };
  return Object.keys(changed).length > 0 ? changed : undefined;
}
