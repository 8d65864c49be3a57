// Removes the signatures of reasoning from a caller's messages: guards do not read them, and the model would take them for its own.
import type { Message, MessagePart } from '@millrace/contracts';

export function unsealMessage(message: Message): Message {
  const parts = message.content.parts.map(unsealPart);
  return { ...message, content: { ...message.content, parts } };
}

function unsealPart(part: MessagePart): MessagePart {
  if (part.type !== 'reasoning') return part;
  const { providerMetadata: _, ...rest } = part;
  return rest;
}
