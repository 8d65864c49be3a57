// What of a run is indexed: the texts of user and assistant, as they were let through, one vector each.
import { messageText, type Message } from '@millrace/contracts';
import { MAX_RUN_MESSAGES, type RecallMessage } from '../store/vector-store.ts';

/**
 * What is embedded and recalled of one message, from its start; UTF-16 code units. Embedding models take about 8,000 tokens
 * (OpenAI's: 8,191), and the densest scripts make about two tokens of one code unit.
 */
export const TEXT_MAX_CHARS = 4_000;

export function textToEmbed(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= TEXT_MAX_CHARS) return trimmed;
  // A character that stands across the cut would be half a character.
  const cut = trimmed.slice(0, TEXT_MAX_CHARS);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

/** In the order in which they were said. Of a run with more than MAX_RUN_MESSAGES the last ones. */
export function messagesToIndex(messages: readonly Message[]): RecallMessage[] {
  const indexed = messages.flatMap((message): RecallMessage[] => {
    const { id: messageId, role, createdAt } = message;
    const text = textToEmbed(messageText(message));
    return (role === 'user' || role === 'assistant') && text !== '' ? [{ messageId, role, text, createdAt }] : [];
  });
  return indexed.slice(-MAX_RUN_MESSAGES);
}
