// A conversation is what a run knows: messages with the source they came from, and system messages in tagged groups. It is
// plain data; every change to it is an operation, and `applyOps` is the only way to apply one, at both ends of the wire.
import { z } from 'zod';
import { messageSchema, messageText, type Message } from './message.ts';
import { MillraceError } from './errors.ts';

/** input: the caller's. response: the model's. remembered: from memory. context: put in by a processor. */
export const sourceSchema = z.enum(['input', 'response', 'remembered', 'context']);
export type MessageSource = z.infer<typeof sourceSchema>;

export const entrySchema = z.object({ source: sourceSchema, message: messageSchema });
export type ConversationEntry = z.infer<typeof entrySchema>;

/** System messages by tag, in order. The agent's instructions have the tag `instructions`. */
export const systemMessageSchema = z.object({ tag: z.string().min(1), content: z.string() });
export type SystemMessage = z.infer<typeof systemMessageSchema>;

/** The tag of the agent's instructions. */
export const INSTRUCTIONS_TAG = 'instructions';
/** The tag of the system messages that a caller submitted, where the agent allows them. */
export const CALLER_TAG = 'caller';

/** The tag of an entry that has another name than its processor: two of one processor have a group each. */
export const entryTag = (tag: string, processor: string, entry: string): string =>
  entry === processor ? tag : `${tag}:${entry}`;
/** The tag without the entry's name: what the group's place in the prompt goes by. */
export const baseTag = (tag: string): string => tag.split(':', 1)[0] ?? tag;

export const conversationSchema = z.object({ entries: z.array(entrySchema), system: z.array(systemMessageSchema) });
export type Conversation = z.infer<typeof conversationSchema>;

export const messageOpSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('add'),
    source: sourceSchema,
    message: messageSchema,
    before: z.string().optional().describe('id of the message that it stands before; the end of its source if absent'),
  }),
  z.object({ op: z.literal('remove'), ids: z.array(z.string()) }),
  z.object({ op: z.literal('replace'), message: messageSchema }),
  z.object({
    op: z.literal('system'),
    tag: z.string().min(1),
    contents: z.array(z.string()).describe('the whole group; empty removes it'),
  }),
  z.object({
    op: z.literal('system-add'),
    tag: z.string().min(1),
    contents: z.array(z.string()).describe('after what the group has; who adds need not have read the group'),
  }),
  z.object({ op: z.literal('system-all'), messages: z.array(systemMessageSchema) }),
]);
export type MessageOp = z.infer<typeof messageOpSchema>;

export const emptyConversation: Conversation = { entries: [], system: [] };

/** Replacements that follow one another are made in one pass: thousands of messages may be replaced at once. */
export function applyOps(conversation: Conversation, ops: readonly MessageOp[]): Conversation {
  let changed = conversation;
  for (let at = 0; at < ops.length;) {
    const run = replacementsFrom(ops, at);
    const op = ops[at];
    if (run.length > 1) changed = replaced(changed, run);
    else if (op) changed = applyOp(changed, op);
    at += Math.max(1, run.length);
  }
  return changed;
}

/** A system message of the caller is judged as input and read by the model as a system message: it is both. */
export function isCallerSystem({ source, message }: ConversationEntry): boolean {
  return source === 'input' && message.role === 'system';
}

/** System messages with the caller's as their entries are now: what a guard redacts or removes there is so for the model too. */
export function withCallerSystem({ entries, system }: Conversation): Conversation {
  const contents = entries.filter(isCallerSystem).map(({ message }) => messageText(message));
  return { entries, system: withGroup(system, CALLER_TAG, contents) };
}

function applyOp(conversation: Conversation, op: MessageOp): Conversation {
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
      if (!there) throw unknownMessage(op.message.id);
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

type Replacement = Extract<MessageOp, { op: 'replace' }>;

function replacementsFrom(ops: readonly MessageOp[], from: number): Replacement[] {
  const run: Replacement[] = [];
  for (let op = ops[from]; op?.op === 'replace'; op = ops[from + run.length]) run.push(op);
  return run;
}

/** What one after the other comes to. */
function replaced({ entries, system }: Conversation, run: readonly Replacement[]): Conversation {
  const places = placesOf(entries);
  let changed: Conversation = { entries: [...entries], system };
  let isCallers = false;
  for (const { message } of run) {
    const at = places.get(message.id) ?? -1;
    const there = changed.entries[at];
    if (!there) throw unknownMessage(message.id);
    const next = { source: there.source, message };
    changed.entries[at] = next;
    isCallers ||= isCallerSystem(there) || isCallerSystem(next);
    // The group of the caller's system messages may end here, and begin again at another place.
    if (isCallerSystem(there) && !isCallerSystem(next)) changed = withCallerSystem(changed);
  }
  return afterChange(changed, isCallers);
}

/** Of two of one id, the first. */
export function placesOf(entries: readonly ConversationEntry[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [at, { message }] of entries.entries()) if (!places.has(message.id)) places.set(message.id, at);
  return places;
}

const afterChange = (conversation: Conversation, isCallers: boolean): Conversation =>
  isCallers ? withCallerSystem(conversation) : conversation;

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

function unknownMessage(id: string): MillraceError {
  return new MillraceError('message-invalid', `There is no message "${id}" to replace.`, {
    remedy: 'Add it, or replace a message that the conversation has.',
  });
}

export function messagesOf(conversation: Conversation, ...sources: MessageSource[]): Message[] {
  const wanted = conversation.entries.filter((entry) => sources.length === 0 || sources.includes(entry.source));
  return wanted.map((entry) => entry.message);
}
