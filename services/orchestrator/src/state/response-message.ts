// The response message of a step: made from what was let through, read back after processors have changed it. Its parts are the
// one source of an answer's text and calls.
import {
  messageText,
  type JsonValue,
  type Message,
  type MessagePart,
  type ToolInvocationPart,
  type ToolCall,
  type ToolResult,
} from '@millrace/contracts';

/** Derived, so that a step that is repeated replaces its message instead of adding one. */
export function responseMessageId(runId: string, stepNumber: number): string {
  return `${runId}.${stepNumber}`;
}

export function textOf(message: Message): string {
  return messageText(message);
}

export function toolCallsOf(message: Message): ToolCall[] {
  return message.content.parts.filter(isOwnCall).map((part) => {
    const { toolCallId, toolName, args } = part.toolInvocation;
    return { toolCallId, toolName, args };
  });
}

/** The whole text in the place of the first text part. */
export function withText(message: Message, text: string): Message {
  const first = message.content.parts.findIndex((part) => part.type === 'text');
  const others = message.content.parts.filter((part, at) => part.type !== 'text' || at === first);
  const parts =
    first < 0 ? [...others, textPart(text)] : others.map((part) => (part.type === 'text' ? textPart(text) : part));
  return { ...message, content: { ...message.content, parts } };
}

const textPart = (text: string): MessagePart => ({ type: 'text', text });

/** Calls that are there keep their place, others are removed, new ones come last. Calls of one id are taken in order. */
export function withToolCalls(message: Message, calls: readonly ToolCall[]): Message {
  const left = [...calls];
  const kept = message.content.parts.flatMap((part): MessagePart[] => {
    if (!isOwnCall(part)) return [part];
    const at = left.findIndex((call) => call.toolCallId === part.toolInvocation.toolCallId);
    const [call] = at < 0 ? [] : left.splice(at, 1);
    return call ? [{ ...part, toolInvocation: { ...part.toolInvocation, ...call } }] : [];
  });
  const added = left.map((call): MessagePart => ({
    type: 'tool-invocation',
    toolInvocation: { state: 'call', ...call },
  }));
  return { ...message, content: { ...message.content, parts: [...kept, ...added] } };
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

/** A call that tools of ours answer, not the provider. */
function isOwnCall(part: MessagePart): part is ToolInvocationPart {
  return part.type === 'tool-invocation' && part['providerExecuted'] !== true;
}
