// Converts the messages of a chat completion to those of a run.
import { MillraceError, type Message, type MessagePart, type Role } from '@millrace/contracts';
import type { ChatMessage, ContentPart } from './chat-request.ts';

export type ConvertOptions = {
  /** The agent accepts system messages of callers. Otherwise they are submitted, and judged, as those of a user. */
  acceptsSystem: boolean;
  /** A thread holds the messages before: only those after the last answer are new. */
  hasThread: boolean;
};

/** @throws not-built-yet for the results of tools, run-refused if no message is left */
export function convertMessages(messages: readonly ChatMessage[], options: ConvertOptions): Message[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const submitted = options.hasThread ? messages.slice(lastAnswer + 1) : messages;
  const converted = submitted.flatMap((message) => convertMessage(message, options));
  if (converted.length > 0) return converted;
  throw new MillraceError('run-refused', 'The request has no new message.', {
    path: 'messages',
    remedy: 'In a thread, add a message of the user after the last answer.',
  });
}

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?,/;

function convertMessage({ role, content }: ChatMessage, { acceptsSystem }: ConvertOptions): Message[] {
  if (role === 'tool' || role === 'function')
    throw new MillraceError('not-built-yet', 'A run takes no results of tools that the client has called.', {
      path: 'messages',
      remedy: 'Omit the messages of tools.',
    });
  const parts = typeof content === 'string' ? [textPart(content)] : (content ?? []).map(convertPart);
  // Clients repeat the answers that only called tools as messages without content.
  if (parts.length === 0) return [];
  const own: Role = role === 'system' || role === 'developer' ? (acceptsSystem ? 'system' : 'user') : role;
  return [{ id: crypto.randomUUID(), role: own, createdAt: new Date().toISOString(), content: { format: 2, parts } }];
}

const textPart = (text: string): MessagePart => ({ type: 'text', text });

function convertPart(part: ContentPart): MessagePart {
  if (part.type === 'text') return textPart(part.text);
  if (part.type === 'refusal') return textPart(part.refusal);
  const data = part.type === 'file' ? part.file.file_data : part.image_url.url;
  const mimeType = DATA_URL.exec(data)?.[1] ?? (part.type === 'file' ? 'application/octet-stream' : 'image/*');
  return { type: 'file', data, mimeType };
}

export const hasSystem = (messages: readonly ChatMessage[]): boolean =>
  messages.some(({ role }) => role === 'system' || role === 'developer');
