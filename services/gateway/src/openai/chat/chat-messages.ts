// Converts the messages of a chat completion to those of a run.
import { MillraceError, type Message, type MessagePart } from '@millrace/contracts';
import {
  convertRole,
  createFilePart,
  createMessage,
  createNoMessageError,
  isSystemRole,
  selectNewMessages,
  type ConvertOptions,
} from '../../agents/submitted-messages.ts';
import type { ChatMessage, ContentPart } from './chat-request.ts';

/** @throws not-built-yet for the results of tools, run-refused if no message is left */
export function convertMessages(messages: readonly ChatMessage[], options: ConvertOptions): Message[] {
  const converted = selectNewMessages(messages, options).flatMap((message) => convertMessage(message, options));
  if (converted.length > 0) return converted;
  throw createNoMessageError('messages');
}

function convertMessage({ role, content }: ChatMessage, options: ConvertOptions): Message[] {
  if (role === 'tool' || role === 'function')
    throw new MillraceError('not-built-yet', 'A run takes no results of tools that the client has called.', {
      path: 'messages',
      remedy: 'Omit the messages of tools.',
    });
  const parts = typeof content === 'string' ? [textPart(content)] : (content ?? []).map(convertPart);
  // Clients repeat the answers that only called tools as messages without content.
  return parts.length === 0 ? [] : [createMessage(convertRole(role, options), parts)];
}

const textPart = (text: string): MessagePart => ({ type: 'text', text });

function convertPart(part: ContentPart): MessagePart {
  switch (part.type) {
    case 'text':
      return textPart(part.text);
    case 'refusal':
      return textPart(part.refusal);
    case 'file':
      return createFilePart(part.file.file_data, 'application/octet-stream');
    case 'image_url':
      return createFilePart(part.image_url.url, 'image/*');
  }
}

export const hasSystem = (messages: readonly ChatMessage[]): boolean => messages.some(({ role }) => isSystemRole(role));
