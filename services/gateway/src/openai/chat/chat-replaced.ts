// Finds the stored turn that a chat completion asks again: chat clients repeat the conversation up to the question, without its answer. Only
// the last turn is replaced, if its question and the answer before it have the words and the files of the request: a client that shows an older state of the
// thread loses nothing. Pure.
import { readMessageText, type Message } from '@millrace/contracts';
import { hasContent, listReplaced, readWords, type StoredTail } from '../../agents/replaced-messages.ts';
import { isSystemRole, selectNewMessages } from '../../agents/submitted-messages.ts';
import { listChatFiles } from './chat-messages.ts';
import type { ChatMessage } from './chat-request.ts';

/** @param sendsAll the client is known to send the whole conversation: a request without an answer is the first question */
export function findChatReplaced(messages: readonly ChatMessage[], tail: StoredTail, sendsAll: boolean): string[] {
  const asked = selectNewMessages(messages, { hasHistory: true });
  const from = findLastQuestion(tail.messages);
  const questions = tail.messages.slice(from).filter(({ role }) => role === 'user');
  // System messages are stored as those of the user, unless the agent accepts their role.
  const forms = [asked, asked.filter(({ role }) => !isSystemRole(role))];
  if (!forms.some((form) => areAsked(questions, form))) return [];
  const before = messages.slice(0, messages.length - asked.length);
  const followsAnswer = isAnswer(tail.messages.slice(0, from), before);
  // A run without an answer, which the client repeats, or of which it shows a part of the answer.
  if (tail.messages.at(-1)?.role === 'user')
    return followsAnswer || !isQuestion(questions.at(-1), before) ? listReplaced(tail, from) : [];
  if (isQuestion(questions.at(-1), before) && isAnswer(tail.messages, before)) return [];
  const isBehind = before.length === 0 ? sendsAll && tail.isWhole && from === 0 : followsAnswer;
  return isBehind ? listReplaced(tail, from) : [];
}

function areAsked(questions: readonly Message[], asked: readonly ChatMessage[]): boolean {
  const isSpoken = ({ role }: ChatMessage) => role === 'user' || isSystemRole(role);
  return (
    questions.length > 0 &&
    questions.length === asked.length &&
    asked.every((message, at) => isSpoken(message) && isSame(questions[at], message))
  );
}

const isSame = (stored: Message | undefined, message: ChatMessage): boolean =>
  stored !== undefined && hasContent(stored, { text: readChatText(message), files: listChatFiles(message) });

/** Returns the index of the first of the last messages of the user, without an answer in between. */
function findLastQuestion(stored: readonly Message[]): number {
  const last = stored.findLastIndex(({ role }) => role === 'user');
  return stored.slice(0, Math.max(last, 0)).findLastIndex(({ role }) => role !== 'user') + 1;
}

/** A run stores a message for each step, and a client shows all of them, or the last. */
function isAnswer(stored: readonly Message[], before: readonly ChatMessage[]): boolean {
  const shown = before.findLast(({ role }) => role === 'assistant');
  const turn = stored.slice(stored.findLastIndex(({ role }) => role === 'user') + 1);
  const texts = turn.filter(({ role }) => role === 'assistant').map(readMessageText);
  if (!shown || texts.length === 0) return false;
  const wanted = readWords(readChatText(shown));
  return [texts.join(''), texts.join(' '), texts.at(-1) ?? ''].some((text) => readWords(text) === wanted);
}

/** Returns whether the client shows the question in a turn of its own: the new one is a further question, although with the same words. */
function isQuestion(stored: Message | undefined, before: readonly ChatMessage[]): boolean {
  const question = before.findLast(({ role }) => role === 'user');
  return question !== undefined && isSame(stored, question);
}

const readChatText = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
