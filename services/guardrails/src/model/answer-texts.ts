// Texts of an answer for a guard with a model: pieces of text and reasoning in the stream, and the parts of its
// messages at the end. Tool arguments are excluded.
import type { Chunk, ChunkOf, Message, MessagePart } from '@millrace/contracts';
import type { ProcessOutputResultArgs } from '@millrace/processor';

export type TextDelta = ChunkOf<'text-delta'> | ChunkOf<'reasoning-delta'>;
export type TextEnd = ChunkOf<'text-end'> | ChunkOf<'reasoning-end'>;

/** Chunks that end all parts. */
const EDGES = new Set<string>(['start', 'step-start', 'step-finish', 'finish', 'error']);

export const isEdge = ({ type }: Chunk): boolean => EDGES.has(type);
/** Returns whether the chunk begins or ends the run's answer. Its steps continue one text around tool calls. */
export const isRunEdge = (part: Chunk): boolean =>
  isEdge(part) && part.type !== 'step-start' && part.type !== 'step-finish';
export const isDelta = (part: Chunk): part is TextDelta =>
  part.type === 'text-delta' || part.type === 'reasoning-delta';
export const isEnd = (part: Chunk): part is TextEnd => part.type === 'text-end' || part.type === 'reasoning-end';
export const getPartKey = ({ type, payload }: TextDelta): string => `${type} ${payload.id}`;

/** Creates a delta of the ending part for its buffered text. */
export function toLastDelta({ runId, from, type, payload: { id } }: TextEnd): TextDelta {
  return { runId, from, type: type === 'text-end' ? 'text-delta' : 'reasoning-delta', payload: { id, text: '' } };
}

export function withText(delta: TextDelta, text: string): TextDelta {
  if (delta.type === 'text-delta') return { ...delta, payload: { ...delta.payload, text } };
  return { ...delta, payload: { ...delta.payload, text } };
}

/** Replaces texts and reasoning of the answer's messages by the results of `judge`, one after the other. */
export async function replaceAnswerTexts(
  { messageList }: Pick<ProcessOutputResultArgs, 'messageList'>,
  judge: (text: string, type: 'text' | 'reasoning') => Promise<string>,
): Promise<void> {
  for (const message of messageList.get.response.db()) {
    const parts: MessagePart[] = [];
    for (const part of message.content.parts) parts.push(await judgePart(part, judge));
    if (parts.every((part, at) => part === message.content.parts[at])) continue;
    const judged: Message = { ...message, content: { ...message.content, parts } };
    messageList.replace(judged);
  }
}

async function judgePart(part: MessagePart, judge: Parameters<typeof replaceAnswerTexts>[1]): Promise<MessagePart> {
  if (part.type !== 'text' && part.type !== 'reasoning') return part;
  const text = part.type === 'text' ? part.text : part.reasoning;
  const left = await judge(text, part.type);
  if (left === text) return part;
  return part.type === 'text' ? { ...part, text: left } : { ...part, reasoning: left };
}
