// What a method of the reference interface returned where it may return messages: the messages become operations on the list, as the
// reference's runner would have applied them; the other members are given back.
import { MillraceError, type Message } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';
import { messageOf } from './foreign-messages.ts';
import { isRecord } from './json-values.ts';
import { addSystem, replaceUntagged } from './system-messages.ts';

export type Given = {
  list: MessageList;
  /** The list as it was handed over. */
  foreignList: object;
  /** The ids of the messages that the method was given: of these those that are not returned are removed. */
  scope: readonly Message[];
  /** An empty list from an output stage is no change: the reference's own examples return one. */
  emptyMeansNone: boolean;
};

/** @throws message-list-foreign, message-list-and-messages, message-invalid, processor-failed */
export function applyForeignMessages(result: unknown, given: Given): Record<string, unknown> {
  if (result === undefined || result === null || result === given.foreignList) return {};
  if (Array.isArray(result)) {
    applyArray(result, given);
    return {};
  }
  if (!isRecord(result)) {
    throw new MillraceError('processor-failed', `The method returned a ${typeof result}, not messages or an object.`);
  }
  const { messages, messageList, systemMessages, ...members } = membersOf(result);
  if (messages !== undefined && messageList !== undefined) {
    throw new MillraceError('message-list-and-messages', 'messages and messageList were both returned.', {
      remedy: 'Return one of them.',
    });
  }
  if (messageList !== undefined && messageList !== given.foreignList) throw anotherList();
  if (Array.isArray(messages)) applyArray(messages, given);
  if (Array.isArray(systemMessages)) replaceUntagged(given.list, systemMessages);
  return members;
}

/** @throws message-list-foreign for an object of a class: what is returned is data, or the list that was given */
function membersOf(result: Record<string, unknown>): Record<string, unknown> {
  if (Object.hasOwn(result, 'messages') || Object.getPrototypeOf(result) === Object.prototype) return { ...result };
  throw anotherList();
}

function applyArray(returned: readonly unknown[], { list, scope, emptyMeansNone }: Given): void {
  if (returned.length === 0 && emptyMeansNone) return;
  const messages = returned.map((message) => messageOf(message, 'user'));
  const given = new Set(scope.map(({ id }) => id));
  const there = new Map(list.get.all.db().map((message) => [message.id, JSON.stringify(message)]));
  // Some return all that the list has, also what they were not given.
  const isNews = (message: Message) => given.has(message.id) || there.get(message.id) !== JSON.stringify(message);
  for (const message of messages) if (message.role === 'system' && isNews(message)) addSystem(list, message);
  list.reconcile(
    scope,
    messages.filter((message) => message.role !== 'system' && isNews(message)),
  );
}

function anotherList(): MillraceError {
  return new MillraceError('message-list-foreign', 'Another MessageList was returned than the one that was given.', {
    remedy: 'Change the given messageList and return that, or return an array.',
  });
}
