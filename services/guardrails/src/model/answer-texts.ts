// The texts of an answer as a guard with a model sees them: pieces of text and reasoning in the stream, and at the end the parts of its
// messages. The arguments of tools are not among them.
import type { Chunk, ChunkOf, Message, MessagePart } from '@millrace/contracts';
import type { ProcessOutputResultArgs } from '@millrace/processor';

export type TextDelta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'>;
export type TextEnd = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'>;

/** After these no part goes on. */
const EDGES = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);

export const isEdge = ({ type }: Chunk): boolean => EDGES.has(type);
export const isDelta = (part: Chunk): part is TextDelta =>
  part.type === 'text-delta' || part.type === 'reasoning-delta';
export const isEnd = (part: Chunk): part is TextEnd => part.type === 'text-end' || part.type === 'reasoning-end';
export const partKey = ({ type, payload }: TextDelta): string => `${type} ${payload.id}`;

/** A piece of the part that ends, for what was held back of it. */
export function lastDelta({ runId, from, type, payload: { id } }: TextEnd): TextDelta {
  return { runId, from, type: type === 'text-end' ? 'text-delta' : 'reasoning-delta', payload: { id, text: '' } };
}

export function withText(delta: TextDelta, text: string): TextDelta {
  if (delta.type === 'text-delta') return { ...delta, payload: { ...delta.payload, text } };
  return { ...delta, payload: { ...delta.payload, text } };
}

/** Replaces texts and reasoning of the answer's messages by what `judge` makes of them, one after the other. */
export async function replaceAnswerTexts(
  { messageList }: Pick<ProcessOutputResultArgs, 'messageList'>,
  judge: (text: string, type: 'text' | 'reasoning') => Promise<string>,
): Promise<void> {
  for (const message of messageList.get.response.db()) {
    const parts: MessagePart[] = [];
    for (const part of message.content.parts) parts.push(await judgedPart(part, judge));
    if (parts.every((part, at) => part === message.content.parts[at])) continue;
    const judged: Message = { ...message, content: { ...message.content, parts } };
    messageList.replace(judged);
  }
}

async function judgedPart(part: MessagePart, judge: Parameters<typeof replaceAnswerTexts>[1]): Promise<MessagePart> {
  if (part.type !== 'text' && part.type !== 'reasoning') return part;
  const text = part.type === 'text' ? part.text : part.reasoning;
  const left = await judge(text, part.type);
  if (left === text) return part;
  return part.type === 'text' ? { ...part, text: left } : { ...part, reasoning: left };
}
