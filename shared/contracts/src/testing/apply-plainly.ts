// Reference implementation of operations: traverses the whole conversation for each. Tests compare applyOps with it.
import {
  CALLER_TAG,
  isCallerSystem,
  type Conversation,
  type ConversationEntry,
  type MessageOp,
  type SystemMessage,
} from '../message/conversation.ts';
import { readMessageText } from '../message/message.ts';

/** @throws Error if the message to replace does not exist */
export function applyPlainly(conversation: Conversation, op: MessageOp): Conversation {
  const { entries, system } = conversation;
  switch (op.op) {
    case 'add': {
      const there = entries.find((entry) => entry.message.id === op.message.id);
      const next = { source: there?.source ?? op.source, message: op.message };
      const isCallers = isCallerSystem(next) || (there !== undefined && isCallerSystem(there));
      return mergeAfterChange({ entries: addEntry(entries, next, op.before), system }, isCallers);
    }
    case 'remove': {
      const gone = new Set(op.ids);
      const isCallers = entries.some((entry) => gone.has(entry.message.id) && isCallerSystem(entry));
      return mergeAfterChange({ entries: entries.filter((entry) => !gone.has(entry.message.id)), system }, isCallers);
    }
    case 'replace': {
      const at = entries.findIndex((entry) => entry.message.id === op.message.id);
      const there = entries[at];
      if (!there) throw new Error(op.message.id);
      const next = { source: there.source, message: op.message };
      const isCallers = isCallerSystem(there) || isCallerSystem(next);
      return mergeAfterChange({ entries: entries.with(at, next), system }, isCallers);
    }
    case 'system':
      return { entries, system: withGroup(system, op.tag, op.contents) };
    case 'system-add': {
      const there = system.filter((message) => message.tag === op.tag).map((message) => message.content);
      return { entries, system: withGroup(system, op.tag, [...there, ...op.contents]) };
    }
    case 'system-all':
      return { entries, system: op.messages };
  }
}

const mergeAfterChange = (conversation: Conversation, isCallers: boolean): Conversation =>
  isCallers ? callerSystem(conversation) : conversation;

/**
 * Replaces an existing message with the same id in place, so that adding twice equals adding once. The message keeps
 * its source: input of the caller must not become history, which is not judged.
 */
function addEntry(
  entries: ConversationEntry[],
  entry: ConversationEntry,
  before: string | undefined,
): ConversationEntry[] {
  const place = (id: string) => entries.findIndex(({ message }) => message.id === id);
  const there = place(entry.message.id);
  if (there >= 0) return entries.with(there, entry);
  const next = before === undefined ? -1 : place(before);
  if (next >= 0) return entries.toSpliced(next, 0, entry);
  // Remembered messages precede all messages of this run, in the order of their operations.
  if (entry.source !== 'remembered') return [...entries, entry];
  const firstOwn = entries.findIndex((existing) => existing.source !== 'remembered');
  return firstOwn < 0 ? [...entries, entry] : entries.toSpliced(firstOwn, 0, entry);
}

/** An existing group keeps its position; a new one is appended. */
function withGroup(system: SystemMessage[], tag: string, contents: string[]): SystemMessage[] {
  const group = contents.map((content) => ({ tag, content }));
  const at = system.findIndex((message) => message.tag === tag);
  const others = system.filter((message) => message.tag !== tag);
  return at < 0 ? [...others, ...group] : others.toSpliced(at, 0, ...group);
}

function callerSystem({ entries, system }: Conversation): Conversation {
  const contents = entries.filter(isCallerSystem).map(({ message }) => readMessageText(message));
  return { entries, system: withGroup(system, CALLER_TAG, contents) };
}
