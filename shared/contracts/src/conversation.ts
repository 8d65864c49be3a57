// Defines a conversation: messages with their sources, and system messages in tagged groups. It is plain data; every
// change is an operation, and both ends of the wire apply operations with `applyOps` only.
import { z } from 'zod';
import { messageSchema, messageText, type Message } from './message.ts';
import { SystemGroups } from './system-groups.ts';

/** input: from the caller. response: from the model. remembered: from memory. context: inserted by a processor. */
export const sourceSchema = z.enum(['input', 'response', 'remembered', 'context']);
export type MessageSource = z.infer<typeof sourceSchema>;

export const entrySchema = z.object({ source: sourceSchema, message: messageSchema });
export type ConversationEntry = z.infer<typeof entrySchema>;

/** System messages by tag, in order. The agent's instructions have the tag `instructions`. */
export const systemMessageSchema = z.object({ tag: z.string().min(1), content: z.string() });
export type SystemMessage = z.infer<typeof systemMessageSchema>;

/** The tag of the agent's instructions. */
export const INSTRUCTIONS_TAG = 'instructions';
/** Tag of the system messages that a caller submitted, if the agent allows them. */
export const CALLER_TAG = 'caller';

/** Tag of an entry with another name than its processor, so that two entries of one processor have separate groups. */
export const entryTag = (tag: string, processor: string, entry: string): string =>
  entry === processor ? tag : `${tag}:${entry}`;
/** Returns the tag without the entry's name; it determines the group's position in the prompt. */
export const baseTag = (tag: string): string => tag.split(':', 1)[0] ?? tag;

export const conversationSchema = z.object({ entries: z.array(entrySchema), system: z.array(systemMessageSchema) });
export type Conversation = z.infer<typeof conversationSchema>;

export const messageOpSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('add'),
    source: sourceSchema,
    message: messageSchema,
    before: z.string().optional().describe('id of the message to insert before; default: the end of its source'),
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
    contents: z.array(z.string()).describe('appended to the group; the processor need not have read the group'),
  }),
  z.object({ op: z.literal('system-all'), messages: z.array(systemMessageSchema) }),
]);
export type MessageOp = z.infer<typeof messageOpSchema>;

export const emptyConversation: Conversation = { entries: [], system: [] };

/** A caller's system message is judged as input and read by the model as a system message. */
export function isCallerSystem({ source, message }: ConversationEntry): boolean {
  return source === 'input' && message.role === 'system';
}

/**
 * Rebuilds the system messages from the caller's current entries: if a guard redacts or removes an entry, the model
 * must not see the original.
 */
export function withCallerSystem({ entries, system }: Conversation): Conversation {
  const contents = entries.filter(isCallerSystem).map(({ message }) => messageText(message));
  const groups = new SystemGroups(system);
  groups.set(CALLER_TAG, contents);
  return { entries, system: groups.all() };
}

export function selectMessages(conversation: Conversation, ...sources: MessageSource[]): Message[] {
  const wanted = conversation.entries.filter((entry) => sources.length === 0 || sources.includes(entry.source));
  return wanted.map((entry) => entry.message);
}
