// Converts the messages of a chat completion to those of a run.
import type { Message, MessagePart, ToolInvocationPart } from '@millrace/contracts';
import { createFilePart, requireFile } from '../../agents/file-part.ts';
import {
  convertRole,
  createMessage,
  createNoMessageError,
  isSystemRole,
  selectSubmitted,
  type ConvertOptions,
} from '../../agents/submitted-messages.ts';
import { matchCalls } from '../../agents/match-calls.ts';
import { convertCalls, convertLooseResult, describeStep } from './chat-calls.ts';
import type { ChatMessage, ContentPart } from './chat-request.ts';

/** @throws run-refused if no message is left, message-invalid for a file */
export function convertMessages(messages: readonly ChatMessage[], options: ConvertOptions): Message[] {
  const selected = selectSubmitted(messages, options);
  const calls = matchCalls(selected.map(describeStep));
  const used = new Set(calls.flat().map(({ resultAt }) => resultAt));
  const converted = selected.flatMap((message, at) => {
    const { role } = message;
    if (role === 'tool' || role === 'function') return used.has(at) ? [] : [convertLooseResult(message)];
    return convertMessage({ ...message, role }, convertCalls(message, calls[at] ?? [], selected), options);
  });
  if (converted.length > 0) return converted;
  throw createNoMessageError('messages');
}

type SpokenMessage = ChatMessage & { role: Exclude<ChatMessage['role'], 'tool' | 'function'> };

function convertMessage(
  { role, content, name, refusal }: SpokenMessage,
  calls: readonly ToolInvocationPart[],
  options: ConvertOptions,
): Message[] {
  const texts = typeof content === 'string' ? [buildTextPart(content)] : (content ?? []).map(convertPart);
  // An answer has a refusal in place of its content.
  const refused = refusal === undefined || refusal === null ? [] : [buildTextPart(refusal)];
  const parts = [...texts, ...refused, ...calls];
  return parts.length === 0 ? [] : [createMessage(convertRole(role, options), parts, { name })];
}

const buildTextPart = (text: string): MessagePart => ({ type: 'text', text });

function convertPart(part: ContentPart): MessagePart {
  switch (part.type) {
    case 'text':
      return buildTextPart(part.text);
    case 'refusal':
      return buildTextPart(part.refusal);
    case 'file':
      return createFilePart(requireFile(part.file.file_data, 'messages'), {
        otherType: 'application/octet-stream',
        filename: part.file.filename,
        path: 'messages',
      });
    case 'image_url':
      return createFilePart(part.image_url.url, {
        otherType: 'image/*',
        detail: part.image_url.detail,
        path: 'messages',
      });
  }
}

/** Returns the data of each file, as the run receives it. */
export const listChatFiles = ({ content }: ChatMessage): string[] =>
  (Array.isArray(content) ? content : []).map(convertPart).flatMap((part) => (part.type === 'file' ? [part.data] : []));

export const hasSystem = (messages: readonly ChatMessage[]): boolean => messages.some(({ role }) => isSystemRole(role));
