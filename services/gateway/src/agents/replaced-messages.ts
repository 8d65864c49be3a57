// Finds the stored messages of a thread that a request replaces, for every protocol in which a client sends the whole conversation: those from
// a question on that is asked again, or that was edited.
import { createHash } from 'node:crypto';
import type { Client } from '@millrace/client';
import { MAX_REPLACED_MESSAGES, MillraceError, readMessageText, type Message } from '@millrace/contracts';

/** The newest messages of a thread. `isWhole`: it has no older ones. */
export type StoredTail = { messages: readonly Message[]; isWhole: boolean };

/** A chat without stored messages, and an installation without a history. */
const UNSTORED: ReadonlySet<string> = new Set(['thread-unknown', 'nobody-there']);

export async function readTail(client: Client, threadId: string): Promise<StoredTail> {
  try {
    const { messages, total } = await client.threads.messages(threadId, { last: MAX_REPLACED_MESSAGES });
    return { messages, isWhole: messages.length === total };
  } catch (error) {
    if (MillraceError.isInstance(error) && UNSTORED.has(error.code)) return { messages: [], isWhole: true };
    throw error;
  }
}

/** Text with one space for each white space, because guards and clients change white space only. */
export const readWords = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** `files`: the data of each file. */
export type SentContent = { text: string; files: readonly string[] };

export const hasContent = (stored: Message, { text, files }: SentContent): boolean => {
  const kept = stored.content.parts.flatMap((part) => (part.type === 'file' ? [part.data] : []));
  const isSame = kept.length === files.length && kept.every((data, at) => data === files[at]);
  return isSame && readWords(readMessageText(stored)) === readWords(text);
};

const HASH = /:h([\w-]{12})$/;
/** Maximum length of a client's id in a stored one. */
const MAX_CLIENT_ID = 180;

/**
 * Returns the id under which a message of a client is stored. It holds a hash of the content, because a guard may change the stored one: the
 * same id with another content is an edit. Returns undefined for an id that no message can have.
 */
export function buildStoredId(id: string, { text, files }: SentContent): string | undefined {
  if (id === '' || id.length > MAX_CLIENT_ID || /\s/.test(id)) return undefined;
  const hash = createHash('sha256').update(readWords(text));
  for (const data of files) hash.update(`\0${data}`);
  return `${id}:h${hash.digest('base64url').slice(0, 12)}`;
}

export const readClientId = (storedId: string): string => storedId.replace(HASH, '');

/** A message of a client. */
export type SentMessage = SentContent & { id: string };

export const isStoredAs = (stored: Message, { id }: Pick<SentMessage, 'id'>): boolean =>
  stored.role === 'user' && readClientId(stored.id) === id;

/** Returns whether the client has changed the message since it was stored; a reloaded page has the stored content. */
export const isEdited = (stored: Message, sent: SentMessage): boolean =>
  isStoredAs(stored, sent) && stored.id !== buildStoredId(sent.id, sent) && !hasContent(stored, sent);

/** @param from index of the first message to replace */
export const listReplaced = ({ messages }: StoredTail, from: number): string[] =>
  messages.slice(from).map(({ id }) => id);

export const createOldMessageError = (path: string): MillraceError =>
  new MillraceError('run-refused', `The message is not among the last ${MAX_REPLACED_MESSAGES} of the chat.`, {
    path,
    remedy: 'Cut the thread first, with POST /v1/threads/THREAD/truncate.',
  });
