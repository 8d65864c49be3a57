// Reads the texts of stored messages. Pure.
import type { Message, MessagePart } from '@millrace/contracts';

const joinTexts = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

/** Old messages have a flat text in place of a text part. */
export function readMessageText({ content }: Message): string {
  const text = joinTexts(content.parts);
  return text === '' ? (content.content ?? '') : text;
}

export function readUserText(messages: readonly Message[] | undefined): string | undefined {
  const text = (messages ?? [])
    .filter(({ role }) => role === 'user')
    .map(readMessageText)
    .join('\n\n');
  return text === '' ? undefined : text;
}

export type PartGroup = { role: 'user' | 'assistant'; id: string; messages: Message[] };

/** A run stores a message for each step: they are one answer. */
export function groupMessages(messages: readonly Message[]): PartGroup[] {
  const groups: PartGroup[] = [];
  for (const message of messages) {
    const role = message.role === 'user' ? 'user' : 'assistant';
    const last = groups.at(-1);
    if (last && last.role === role && role === 'assistant') last.messages.push(message);
    else groups.push({ role, id: message.id, messages: [message] });
  }
  return groups;
}
