// Renames messages whose id a different message of the thread has. The orchestrator prefixes the ids of a run's own
// messages with the run's id: if the thread already holds such an id, an earlier run had the same run id or a caller
// used it. Callers choose the ids of their messages: the same id with the same words and files is the same message, and others
// are a different message, which is stored and recalled under an id of its own.
import { createHash, randomUUID } from 'node:crypto';
import { readMessageText, type Message } from '@millrace/contracts';
import type { HistoryBlock } from './history-store.ts';

export function buildOwnPrefix(runId: string): string {
  return `${runId}.`;
}

/**
 * Renames deterministically per block, so that a repeated save has no effect. @param number of the block in its thread
 */
export function renameOwnIds(block: HistoryBlock, number: number): HistoryBlock {
  const own = buildOwnPrefix(block.runId);
  const messages = block.messages.map((message) =>
    message.id.startsWith(own) ? { ...message, id: `${message.id}~${number}` } : message,
  );
  return { ...block, messages };
}

/** Returns whether two messages of one id are one message: guards and clients change white space only. */
export const haveSameWords = (one: Message, other: Message): boolean => readWords(one) === readWords(other);

/** Returns the text and the data of files. save-block.lua compares the same. */
function readWords(message: Message): string {
  const files = message.content.parts.flatMap((part) => (part.type === 'file' ? [part.data] : []));
  return [message.role, readMessageText(message), ...files]
    .join(' ')
    .replaceAll(/[ \t\n\v\f\r]+/g, ' ')
    .trim();
}

/**
 * Gives the listed messages new ids: derived ones at the first attempt, random ones if a caller has used those for other
 * words. @param attempt from 0
 */
export function renameDifferent(block: HistoryBlock, ids: ReadonlySet<string>, attempt: number): HistoryBlock {
  const taken = new Set(block.messages.map(({ id }) => id));
  const messages = block.messages.map((message) => {
    if (!ids.has(message.id)) return message;
    const derived = deriveId(message);
    const id = attempt === 0 && !taken.has(derived) ? derived : appendToId(message.id, randomUUID());
    taken.add(id);
    return { ...message, id };
  });
  return { ...block, messages };
}

/**
 * Returns the id of a message whose given id belongs to different words. It depends on the words alone, so that the
 * message has it in every later run too.
 */
export function deriveId(message: Message): string {
  const hash = createHash('sha256').update(readWords(message)).digest('base64url').slice(0, HASH_LENGTH);
  return appendToId(message.id, hash);
}

const appendToId = (id: string, end: string): string => `${id.slice(0, MAX_ID - end.length - 1)}~${end}`;

/** 96 bits. */
const HASH_LENGTH = 16;
/** Maximum length of a message's id. */
const MAX_ID = 200;
