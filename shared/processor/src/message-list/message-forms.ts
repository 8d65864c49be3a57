// Converts a message to the other forms that processors request: `ui` (for a chat component), `core` and `model` (for a
// model call). The conversion is read-only: these forms are never converted back.
import type { JsonValue, Message, MessagePart } from '@millrace/contracts';

export type ListedUiMessage = { id: string; role: Message['role']; parts: MessagePart[]; metadata?: unknown };

type CorePart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'file'; data: string; mediaType: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: JsonValue }
  | { type: 'tool-result'; toolCallId: string; toolName: string; output: { type: 'json'; value: JsonValue } };
export type CoreMessage = { role: Message['role']; content: CorePart[] };

export function toUiMessages(messages: readonly Message[]): ListedUiMessage[] {
  return messages.map(({ id, role, content }) => ({
    id,
    role,
    parts: content.parts.length > 0 ? content.parts : [{ type: 'text', text: content.content ?? '' }],
    ...(content.metadata && { metadata: content.metadata }),
  }));
}

/** Returns the message and, if it has tool results, the `tool` message after it. */
export function toCoreMessages(messages: readonly Message[]): CoreMessage[] {
  return messages.flatMap((message) => {
    const parts = toUiMessages([message])[0]?.parts ?? [];
    const own: CoreMessage = { role: message.role, content: parts.flatMap(toCorePart) };
    const results = parts.flatMap(toResultParts);
    return [own, ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : [])].filter(
      (core) => core.content.length > 0,
    );
  });
}

function toCorePart(part: MessagePart): CorePart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.reasoning }];
    case 'file':
      return [{ type: 'file', data: part.data, mediaType: part.mimeType }];
    case 'tool-invocation': {
      const { toolCallId, toolName, args } = part.toolInvocation;
      return [{ type: 'tool-call', toolCallId, toolName, input: args }];
    }
    default:
      return [];
  }
}

function toResultParts(part: MessagePart): CorePart[] {
  if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
  const { toolCallId, toolName, result } = part.toolInvocation;
  return [{ type: 'tool-result', toolCallId, toolName, output: { type: 'json', value: result ?? null } }];
}
