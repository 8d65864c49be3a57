// Finds the stored messages that a request of useChat replaces: the page has dropped an answer to ask for another one, or has edited a message.
import { MillraceError } from '@millrace/contracts';
import { selectNewMessages } from '../agents/submitted-messages.ts';
import {
  createOldMessageError,
  hasContent,
  isEdited,
  isStoredAs,
  listReplaced,
  type SentMessage,
  type StoredTail,
} from '../agents/replaced-messages.ts';
import { readUiContent, type UiRequest } from './ui-request.ts';

/** @throws state-conflict if a regenerated last answer is not the last one, run-refused for a message that is too old */
export function findUiReplaced(request: UiRequest, tail: StoredTail): string[] {
  const { messages, messageId, trigger } = request;
  const sent = selectNewMessages(messages, { hasHistory: true }).map(({ id, parts }) => ({
    id,
    ...readUiContent(parts),
  }));
  const isNamed = sent.some(({ id }) => id === messageId);
  if (trigger === 'submit-message' && !isNamed)
    return listFrom(
      tail,
      tail.messages.findIndex((one) => sent.some((own) => isEdited(one, own))),
    );
  const from = findSent(tail, sent);
  if (from < 0 && !tail.isWhole) throw createOldMessageError('messages');
  if (trigger === 'regenerate-message' && (messageId ?? undefined) === undefined) refuseLaterTurn(tail, from, sent);
  return listFrom(tail, from);
}

const listFrom = (tail: StoredTail, from: number): string[] => (from < 0 ? [] : listReplaced(tail, from));

/** Runs of other protocols and of earlier versions have stored other ids. */
function findSent({ messages }: StoredTail, sent: readonly SentMessage[]): number {
  const byId = messages.findIndex((one) => sent.some((own) => isStoredAs(one, own)));
  if (byId >= 0) return byId;
  const [first] = sent;
  return first ? messages.findLastIndex((one) => one.role === 'user' && hasContent(one, first)) : -1;
}

/** Another page has asked a further question, which this one does not show. */
function refuseLaterTurn({ messages }: StoredTail, from: number, sent: readonly SentMessage[]): void {
  const later = messages.slice(from + sent.length).find(({ role }) => role === 'user');
  if (from < 0 || !later) return;
  throw new MillraceError('state-conflict', 'The chat has messages after the answer that was to be generated again.', {
    path: 'messages',
    remedy: 'Load the chat again, or name the answer with messageId.',
  });
}
