// Finds the stored messages that a request of useChat replaces: the page has dropped an answer to ask for another one, or has edited a message.
import { MillraceError, type Message } from '@millrace/contracts';
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
  const { messageId, trigger } = request;
  const sent = listSent(request);
  const isNamed = sent.some(({ id }) => id === messageId);
  if (trigger === 'submit-message' && !isNamed)
    return listFrom(
      tail,
      tail.messages.findIndex((one) => sent.some((own) => isEdited(one, own))),
    );
  const from = findSent(tail, sent, request);
  if (from < 0 && !tail.isWhole) throw createOldMessageError('messages');
  if (isOfLastAnswer(request)) refuseLaterTurn(tail, from, sent);
  return listFrom(tail, from);
}

/** @throws state-conflict if the active run answers a message that the page does not show. @param input of the run; absent: not judged yet */
export function refuseOtherRun(request: UiRequest, input: readonly Message[] | undefined): void {
  if (!isOfLastAnswer(request)) return;
  const sent = listSent(request);
  const isSent = (message: Message) => sent.some((own) => isStoredAs(message, own) || hasContent(message, own));
  if (!input?.every((message) => message.role !== 'user' || isSent(message))) throw createLaterTurnError();
}

const listSent = ({ messages }: UiRequest): SentMessage[] =>
  selectNewMessages(messages, { hasHistory: true }).map(({ id, parts }) => ({ id, ...readUiContent(parts) }));

/** The page asks for another last answer, without a name for it. */
const isOfLastAnswer = ({ trigger, messageId }: UiRequest): boolean =>
  trigger === 'regenerate-message' && (messageId ?? undefined) === undefined;

const listFrom = (tail: StoredTail, from: number): string[] => (from < 0 ? [] : listReplaced(tail, from));

/** Runs of other protocols and of earlier versions have stored other ids. A stored message that is another one of the page is not the first of the sent. */
function findSent({ messages }: StoredTail, sent: readonly SentMessage[], { messages: shown }: UiRequest): number {
  const byId = messages.findIndex((one) => sent.some((own) => isStoredAs(one, own)));
  if (byId >= 0) return byId;
  const [first] = sent;
  const isShown = (stored: Message) => shown.some((one) => isStoredAs(stored, one));
  const isFirst = (stored: Message) => stored.role === 'user' && !isShown(stored);
  return first ? messages.findLastIndex((one) => isFirst(one) && hasContent(one, first)) : -1;
}

/** Another page has asked a further question, which this one does not show. */
function refuseLaterTurn({ messages }: StoredTail, from: number, sent: readonly SentMessage[]): void {
  const later = messages.slice(from + sent.length).find(({ role }) => role === 'user');
  if (from >= 0 && later) throw createLaterTurnError();
}

const createLaterTurnError = (): MillraceError =>
  new MillraceError('state-conflict', 'The chat has messages after the answer that was to be generated again.', {
    path: 'messages',
    remedy: 'Load the chat again, or name the answer with messageId.',
  });
