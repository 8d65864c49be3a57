// Replaces ids that a caller or a provider chose: guards do not judge ids, but a model, a client or a store receives them.
import { hash } from 'node:crypto';
import type { Message, MessagePart } from '@millrace/contracts';

/** Returns the same id for the same text: 32 hexadecimal digits after the prefix. */
export const hashId = (prefix: 'id_' | 'call_', text: string): string =>
  `${prefix}${hash('sha256', text).slice(0, 32)}`;

/** Replaces the ids of the calls of a submitted message. A call and its result, in any message, keep one id. */
export function replaceCallIds(message: Message): Message {
  const { parts } = message.content;
  if (!parts.some(({ type }) => type === 'tool-invocation')) return message;
  return { ...message, content: { ...message.content, parts: parts.map(replaceCallId) } };
}

function replaceCallId(part: MessagePart): MessagePart {
  if (part.type !== 'tool-invocation') return part;
  const toolCallId = hashId('call_', part.toolInvocation.toolCallId);
  return { ...part, toolInvocation: { ...part.toolInvocation, toolCallId } };
}
