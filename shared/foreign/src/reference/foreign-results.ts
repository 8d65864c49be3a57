// Reads the return value of a reference method: messages become operations on the list, as the reference's runner
// applies them; the other members are returned.
import { isObject, MillraceError, type Message } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';
import { toMessage } from './foreign-messages.ts';
import { addSystem, replaceUntagged } from './system-messages.ts';

export type ResultGiven = {
  list: MessageList;
  /** The list as it was handed over. */
  foreignList: object;
  /** The ids of the messages that the method was given: of these those that are not returned are removed. */
  scope: readonly Message[];
  /** An empty list from an output stage is no change: the reference's own examples return one. */
  emptyMeansNone: boolean;
};

/** @throws message-list-foreign, message-list-and-messages, message-invalid, processor-failed */
export function applyForeignMessages(result: unknown, given: ResultGiven): Record<string, unknown> {
  if (result === undefined || result === null || result === given.foreignList) return {};
  if (Array.isArray(result)) {
    applyArray(result, given);
    return {};
  }
  if (!isObject(result)) {
    throw new MillraceError('processor-failed', `The method returned a ${typeof result}, not messages or an object.`);
  }
  const { messages, messageList, systemMessages, ...members } = selectMembers(result);
  if (messages !== undefined && messageList !== undefined) {
    throw new MillraceError('message-list-and-messages', 'messages and messageList were both returned.', {
      remedy: 'Return one of them.',
    });
  }
  if (messageList !== undefined && messageList !== given.foreignList) throw createAnotherListError();
  if (Array.isArray(messages)) applyArray(messages, given);
  if (Array.isArray(systemMessages)) replaceUntagged(given.list, systemMessages);
  return members;
}

/** @throws message-list-foreign for an instance of a class: valid values are data, or the given list */
function selectMembers(result: Record<string, unknown>): Record<string, unknown> {
  if (Object.hasOwn(result, 'messages') || Object.getPrototypeOf(result) === Object.prototype) return { ...result };
  throw createAnotherListError();
}

function applyArray(returned: readonly unknown[], { list, scope, emptyMeansNone }: ResultGiven): void {
  if (returned.length === 0 && emptyMeansNone) return;
  const messages = returned.map((message) => toMessage(message, 'user'));
  const given = new Set(scope.map(({ id }) => id));
  const there = new Map(list.get.all.db().map((message) => [message.id, JSON.stringify(message)]));
  // Some processors return the whole list, including messages that were not passed to them.
  const isNews = (message: Message) => given.has(message.id) || there.get(message.id) !== JSON.stringify(message);
  for (const message of messages) if (message.role === 'system' && isNews(message)) addSystem(list, message);
  list.reconcile(
    scope,
    messages.filter((message) => message.role !== 'system' && isNews(message)),
  );
}

function createAnotherListError(): MillraceError {
  return new MillraceError('message-list-foreign', 'The method returned another MessageList than its argument.', {
    remedy: 'Change the messageList argument and return it, or return an array.',
  });
}
