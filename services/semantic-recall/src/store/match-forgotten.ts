// Selects stored messages to delete. message-history may have stored a message under another id than this service: with
// `~` and a suffix, if the id named a different message before.
import { MAX_FORGOTTEN_TEXT } from '@millrace/contracts';
import type { ForgottenText } from './vector-store.ts';

/** Returns the ids under which the messages may be stored. */
export function listStoredIds(messages: readonly ForgottenText[]): string[] {
  return [...new Set(messages.flatMap(({ messageId }) => readIds(messageId)))];
}

/** Returns whether the list has the message. */
export function isForgotten(messages: readonly ForgottenText[], stored: ForgottenText): boolean {
  const words = readWords(stored.text);
  return messages.some(
    ({ messageId, text }) => readIds(messageId).includes(stored.messageId) && readWords(text) === words,
  );
}

/** A suffix contains no `~`, so that the given id ends at the last one. */
function readIds(id: string): string[] {
  const end = id.lastIndexOf('~');
  return end <= 0 ? [id] : [id, id.slice(0, end)];
}

/** The compared text is cut at a fixed length of the original, so that copies with other white space end at other words. */
const readWords = (text: string): string => text.replaceAll(/\s+/g, '').slice(0, MAX_FORGOTTEN_TEXT / 2);
