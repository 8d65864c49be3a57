// What an operation means, written as plainly as it can be said: a look at everything for each. What applyOps is held against.
import {
  CALLER_TAG,
  isCallerSystem,
  type Conversation,
  type ConversationEntry,
  type MessageOp,
  type SystemMessage,
} from '../conversation.ts';
import { messageText } from '../message.ts';

/** @throws Error for a message to replace that is not there */
export function applyPlainly(conversation: Conversation, op: MessageOp): Conversation {
  const { entries, system } = conversation;
  switch (op.op) {
    case 'add': {
      const there = entries.find((entry) => entry.message.id === op.message.id);
      const next = { source: there?.source ?? op.source, message: op.message };
      const isCallers = isCallerSystem(next) || (there !== undefined && isCallerSystem(there));
      return afterChange({ entries: added(entries, next, op.before), system }, isCallers);
    }
    case 'remove': {
      const gone = new Set(op.ids);
      const isCallers = entries.some((entry) => gone.has(entry.message.id) && isCallerSystem(entry));
      return afterChange({ entries: entries.filter((entry) => !gone.has(entry.message.id)), system }, isCallers);
    }
    case 'replace': {
      const at = entries.findIndex((entry) => entry.message.id === op.message.id);
      const there = entries[at];
      if (!there) throw new Error(op.message.id);
      const next = { source: there.source, message: op.message };
      const isCallers = isCallerSystem(there) || isCallerSystem(next);
      return afterChange({ entries: entries.with(at, next), system }, isCallers);
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

const afterChange = (conversation: Conversation, isCallers: boolean): Conversation =>
  isCallers ? callerSystem(conversation) : conversation;

/**
 * An added message whose id is there already replaces it in place: adding twice is adding once. It keeps its source: what a caller
 * said does not become history, which nobody judges, by being added again.
 */
function added(
  entries: ConversationEntry[],
  entry: ConversationEntry,
  before: string | undefined,
): ConversationEntry[] {
  const place = (id: string) => entries.findIndex(({ message }) => message.id === id);
  const there = place(entry.message.id);
  if (there >= 0) return entries.with(there, entry);
  const next = before === undefined ? -1 : place(before);
  if (next >= 0) return entries.toSpliced(next, 0, entry);
  // Remembered messages stand before everything of this run, in the order in which they come.
  if (entry.source !== 'remembered') return [...entries, entry];
  const firstOwn = entries.findIndex((existing) => existing.source !== 'remembered');
  return firstOwn < 0 ? [...entries, entry] : entries.toSpliced(firstOwn, 0, entry);
}

/** A group that is there keeps its place; a new one comes last. */
function withGroup(system: SystemMessage[], tag: string, contents: string[]): SystemMessage[] {
  const group = contents.map((content) => ({ tag, content }));
  const at = system.findIndex((message) => message.tag === tag);
  const others = system.filter((message) => message.tag !== tag);
  return at < 0 ? [...others, ...group] : others.toSpliced(at, 0, ...group);
}

function callerSystem({ entries, system }: Conversation): Conversation {
  const contents = entries.filter(isCallerSystem).map(({ message }) => messageText(message));
  return { entries, system: withGroup(system, CALLER_TAG, contents) };
}
