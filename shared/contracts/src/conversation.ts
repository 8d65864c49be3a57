// A conversation is what a run knows: messages with the source they came from, and system messages in tagged groups. It is
// plain data; every change to it is an operation, and `applyOps` is the only way to apply one, at both ends of the wire.
import { z } from 'zod';
import { messageSchema, messageText, type Message } from './message.ts';
import { SystemGroups } from './system-groups.ts';

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

/** A system message of the caller is judged as input and read by the model as a system message: it is both. */
export function isCallerSystem({ source, message }: ConversationEntry): boolean {
  return source === 'input' && message.role === 'system';
}

/** System messages with the caller's as their entries are now: what a guard redacts or removes there is so for the model too. */
export function withCallerSystem({ entries, system }: Conversation): Conversation {
  const contents = entries.filter(isCallerSystem).map(({ message }) => messageText(message));
  const groups = new SystemGroups(system);
  groups.set(CALLER_TAG, contents);
  return { entries, system: groups.all() };
}

export function messagesOf(conversation: Conversation, ...sources: MessageSource[]): Message[] {
  const wanted = conversation.entries.filter((entry) => sources.length === 0 || sources.includes(entry.source));
  return wanted.map((entry) => entry.message);
}
