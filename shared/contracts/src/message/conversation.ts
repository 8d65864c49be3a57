// Defines a conversation: messages with their sources, and system messages in tagged groups. It is plain data; every
// change is an operation, and both ends of the wire apply operations with `applyOps` only.
import { z } from 'zod';
import { INSTRUCTIONS_LABEL, isUntrusted, labelSchema, listLabels, findLowestLabel, type Label } from './label.ts';
import { messageSchema, readMessageText, type Message } from './message.ts';
import { SystemGroups } from './system-groups.ts';

/** input: from the caller. response: from the model. remembered: from memory. context: inserted by a processor. */
export const sourceSchema = z.enum(['input', 'response', 'remembered', 'context']);
export type MessageSource = z.infer<typeof sourceSchema>;

export const entrySchema = z.object({ source: sourceSchema, message: messageSchema });
export type ConversationEntry = z.infer<typeof entrySchema>;

/** System messages by tag, in order. The agent's instructions have the tag `instructions`. */
export const systemMessageSchema = z.object({
  tag: z.string().min(1),
  content: z.string(),
  label: labelSchema.optional().describe('absent: untrusted'),
});
export type SystemMessage = z.infer<typeof systemMessageSchema>;

/** The tag of the agent's instructions. */
export const INSTRUCTIONS_TAG = 'instructions';
/** Tag of the system messages that a caller submitted, if the agent allows them. */
export const CALLER_TAG = 'caller';

/** Tag of an entry with another name than its processor, so that two entries of one processor have separate groups. */
export const buildEntryTag = (tag: string, processor: string, entry: string): string =>
  entry === processor ? tag : `${tag}:${entry}`;
/** Returns the tag without the entry's name; it determines the group's position in the prompt. */
export const readBaseTag = (tag: string): string => tag.split(':', 1)[0] ?? tag;

export const conversationSchema = z.object({ entries: z.array(entrySchema), system: z.array(systemMessageSchema) });
export type Conversation = z.infer<typeof conversationSchema>;

const labelsSchema = z
  .array(labelSchema)
  .optional()
  .describe('label of each content; a content without one has the trust that docs/semantics.md defines');

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
    labels: labelsSchema,
  }),
  z.object({
    op: z.literal('system-add'),
    tag: z.string().min(1),
    contents: z.array(z.string()).describe('appended to the group; the processor need not have read the group'),
    labels: labelsSchema,
  }),
  z.object({ op: z.literal('system-all'), messages: z.array(systemMessageSchema) }),
]);
export type MessageOp = z.infer<typeof messageOpSchema>;

export const emptyConversation: Conversation = { entries: [], system: [] };

/** A caller's system message is judged as input and read by the model as a system message. */
export function isCallerSystem({ source, message }: ConversationEntry): boolean {
  return source === 'input' && message.role === 'system';
}

/** Returns the content of a caller's system message with its label. */
export const buildCallerSystemText = ({
  message,
}: Pick<ConversationEntry, 'message'>): { content: string; label: Label } => ({
  content: readMessageText(message),
  label: findLowestLabel(listLabels(message)),
});

/**
 * Rebuilds the system messages from the caller's current entries: if a guard redacts or removes an entry, the model
 * must not see the original.
 */
export function withCallerSystem({ entries, system }: Conversation): Conversation {
  const groups = new SystemGroups(system);
  groups.set(CALLER_TAG, entries.filter(isCallerSystem).map(buildCallerSystemText));
  return { entries, system: groups.all() };
}

export function selectMessages(conversation: Conversation, ...sources: MessageSource[]): Message[] {
  const wanted = conversation.entries.filter((entry) => sources.length === 0 || sources.includes(entry.source));
  return wanted.map((entry) => entry.message);
}

/** Returns the system messages of an agent's instructions. */
export const buildInstructionMessages = (texts: readonly string[]): SystemMessage[] =>
  texts
    .filter((content) => content !== '')
    .map((content) => ({ tag: INSTRUCTIONS_TAG, content, label: INSTRUCTIONS_LABEL }));

/** Returns the distinct origins of the untrusted texts of a conversation, in their order. */
export function listUntrustedOrigins({ entries, system }: Conversation): string[] {
  const labels = entries.flatMap(({ message }) => listLabels(message).filter((label) => isUntrusted({ label })));
  const groups = system.filter(isUntrusted).map(({ label }) => findLowestLabel(label ? [label] : []));
  return [...new Set([...groups, ...labels].map(({ origin }) => origin))];
}
