// The response message of a step: made from what was let through, read back after processors have changed it. Its parts are the
// one source of an answer's text and calls.
import {
  messageText,
  type JsonValue,
  type Message,
  type MessagePart,
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
  return message.content.parts.flatMap((part) => {
    if (part.type !== 'tool-invocation' || part['providerExecuted'] === true) return [];
    const { toolCallId, toolName, args } = part.toolInvocation;
    return [{ toolCallId, toolName, args }];
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

/** Calls that are there keep their place, others are removed, new ones come last. */
export function withToolCalls(message: Message, calls: readonly ToolCall[]): Message {
  const wanted = new Map(calls.map((call) => [call.toolCallId, call]));
  const kept = message.content.parts.flatMap((part): MessagePart[] => {
    if (part.type !== 'tool-invocation') return [part];
    const call = wanted.get(part.toolInvocation.toolCallId);
    wanted.delete(part.toolInvocation.toolCallId);
    return call ? [{ ...part, toolInvocation: { ...part.toolInvocation, ...call } }] : [];
  });
  const added = [...wanted.values()].map((call): MessagePart => ({
    type: 'tool-invocation',
    toolInvocation: { state: 'call', ...call },
  }));
  return { ...message, content: { ...message.content, parts: [...kept, ...added] } };
}

export function withResults(message: Message, results: readonly ToolResult[]): Message {
  const byId = new Map(results.map((result) => [result.toolCallId, result]));
  const parts = message.content.parts.map((part): MessagePart => {
    const result = part.type === 'tool-invocation' ? byId.get(part.toolInvocation.toolCallId) : undefined;
    if (part.type !== 'tool-invocation' || !result) return part;
    const { args, isError, denied } = result;
    const outcome: { result: JsonValue; isError: boolean } = { result: result.result, isError };
    return {
      ...part,
      toolInvocation: { ...part.toolInvocation, state: 'result', args, ...outcome, ...(denied && { denied }) },
    };
  });
  return { ...message, content: { ...message.content, parts } };
}
