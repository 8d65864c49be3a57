// The response message of a step: its id, and the results of its calls.
import { isOwnCall, type JsonValue, type Message, type MessagePart, type ToolResult } from '@millrace/contracts';

/** Derived, so that a step that is repeated replaces its message instead of adding one. */
export function responseMessageId(runId: string, stepNumber: number): string {
  return `${runId}.${stepNumber}`;
}

/** @param results in call order: calls to which a provider gave one id take theirs in turn */
export function withResults(message: Message, results: readonly ToolResult[]): Message {
  const left = [...results];
  const parts = message.content.parts.map((part): MessagePart => {
    if (!isOwnCall(part)) return part;
    const at = left.findIndex(({ toolCallId }) => toolCallId === part.toolInvocation.toolCallId);
    const [result] = at < 0 ? [] : left.splice(at, 1);
    if (!result) return part;
    const { args, isError, denied } = result;
    const outcome: { result: JsonValue; isError: boolean } = { result: result.result, isError };
    return {
      ...part,
      toolInvocation: { ...part.toolInvocation, state: 'result', args, ...outcome, ...(denied && { denied }) },
    };
  });
  return { ...message, content: { ...message.content, parts } };
}
