// Selects the messages of a run to index: the accepted texts of user and assistant, one vector each.
import { findTextLabel, readMessageText, type Message } from '@millrace/contracts';
import { MAX_RUN_MESSAGES, type RecallMessage } from '../store/vector-store.ts';

/**
 * Maximum length of the embedded and recalled part of one message, from its start, in UTF-16 code units. Embedding
 * models accept about 8,000 tokens (OpenAI's: 8,191), and the densest scripts have about two tokens per code unit.
 */
export const TEXT_MAX_CHARS = 4_000;

export function chooseTextToEmbed(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= TEXT_MAX_CHARS) return trimmed;
  // The cut must not split a surrogate pair.
  const cut = trimmed.slice(0, TEXT_MAX_CHARS);
  return cut.isWellFormed() ? cut : cut.slice(0, -1).toWellFormed();
}

/** In conversation order. A run with more than MAX_RUN_MESSAGES keeps the last ones. */
export function selectMessagesToIndex(messages: readonly Message[]): RecallMessage[] {
  const indexed = messages.flatMap((message): RecallMessage[] => {
    const { id: messageId, role, createdAt } = message;
    const text = chooseTextToEmbed(readMessageText(message));
    if ((role !== 'user' && role !== 'assistant') || text === '') return [];
    return [{ messageId, role, text, createdAt, trust: findTextLabel(message)?.trust ?? 'untrusted' }];
  });
  return indexed.slice(-MAX_RUN_MESSAGES);
}
