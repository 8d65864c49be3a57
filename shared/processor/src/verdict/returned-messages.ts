// Reads the result of a method with messages: an array, the MessageList, or an object of members. Applies returned
// messages to the list and returns the other members.
import { INSTRUCTIONS_TAG, MillraceError, RETURNED_SYSTEM_TAG, type Message } from '@millrace/contracts';
import { MessageList } from '../message-list/message-list.ts';

/** Tags of messages that other frameworks have without a tag. */
const UNTAGGED: readonly string[] = [INSTRUCTIONS_TAG, RETURNED_SYSTEM_TAG];

export type GivenMessages = {
  messages: Message[];
  list: MessageList;
  /** An empty array from an output stage means no change: the reference interface's own examples return one. */
  emptyMeansNone: boolean;
};

/** @throws message-list-foreign, message-list-and-messages, processor-failed for any other shape */
export function applyReturnedMessages(result: unknown, given: GivenMessages): Record<string, unknown> {
  if (result === undefined || result === null || result === given.list) return {};
  if (result instanceof MessageList) throw createForeignError();
  if (Array.isArray(result)) {
    reconcileWith(given, result);
    return {};
  }
  if (typeof result !== 'object') {
    throw new MillraceError('processor-failed', `The method returned a ${typeof result}, not messages or an object.`);
  }
  const { messages, messageList, systemMessages, ...members }: Record<string, unknown> = { ...result };
  if (messages !== undefined && messageList !== undefined) {
    throw new MillraceError('message-list-and-messages', 'messages and messageList were both returned.', {
      remedy: 'Return one of them.',
    });
  }
  if (messageList !== undefined && messageList !== given.list) throw createForeignError();
  if (Array.isArray(messages)) reconcileWith(given, messages);
  if (Array.isArray(systemMessages)) replaceSystem(given.list, systemMessages);
  return members;
}

function reconcileWith({ messages, list, emptyMeansNone }: GivenMessages, returned: Message[]): void {
  if (returned.length > 0 || !emptyMeansNone) list.reconcile(messages, returned);
}

type ReturnedSystem = { tag?: string; content: string };

/**
 * Replaces all system messages if the returned ones have tags. Processors of other frameworks return {role, content}
 * without tags: then messages with a tag of their own (a memory's) are kept, and the others are replaced.
 */
function replaceSystem(list: MessageList, returned: readonly ReturnedSystem[]): void {
  if (returned.some(({ tag }) => tag !== undefined)) {
    const all = returned.map(({ tag = RETURNED_SYSTEM_TAG, content }) => ({ tag, content }));
    return void list.replaceAllSystemMessages(all);
  }
  const given = list.systemAsGiven();
  const left = [...given];
  const own = returned.flatMap(({ content }) => {
    const at = left.findIndex((message) => message.content === content);
    const [known] = at < 0 ? [] : left.splice(at, 1);
    return known && !UNTAGGED.includes(known.tag) ? [] : [{ tag: known?.tag ?? RETURNED_SYSTEM_TAG, content }];
  });
  list.replaceAllSystemMessages([...own, ...given.filter(({ tag }) => !UNTAGGED.includes(tag))]);
}

function createForeignError(): MillraceError {
  return new MillraceError('message-list-foreign', 'The method returned another MessageList than its argument.', {
    remedy: 'Change the messageList argument and return it, or return an array.',
  });
}
