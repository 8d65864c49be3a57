// A model's answer, built from the chunks that were let through. Nothing else of the stream is ever stored or given to tools.
import { MillraceError, type Chunk, type Message, type MessagePart } from '@millrace/contracts';

/** A step's answer is one record of the run's state. UTF-16 code units of text, reasoning and arguments together. */
const MAX_ANSWER_CHARS = 4 * 1024 * 1024;

export type AnswerBuilder = {
  /** @throws model-answer-too-large */
  add(chunk: Chunk): void;
  message(): Message;
  reasoning(): string;
  /** Everything that was let through, in order. */
  chunks(): readonly Chunk[];
  /** Chunks that end the parts which are still open: what processors held back comes out with them. */
  endsOfOpenParts(): Chunk[];
};

export function createAnswerBuilder(messageId: string): AnswerBuilder {
  const parts: MessagePart[] = [];
  const open = new Map<string, { part: MessagePart; end: Chunk }>();
  const chunks: Chunk[] = [];
  const createdAt = new Date().toISOString();
  let chars = 0;

  const grow = (text: string) => {
    chars += text.length;
    if (chars <= MAX_ANSWER_CHARS) return text;
    throw new MillraceError('model-answer-too-large', `The answer is over ${MAX_ANSWER_CHARS} characters.`, {
      remedy: 'Set modelSettings.maxOutputTokens, or add a content-length guard.',
    });
  };
  const begin = (key: string, part: MessagePart, end: Chunk) => {
    parts.push(part);
    open.set(key, { part, end });
    return part;
  };
  const textPart = (id: string, of: Chunk) =>
    open.get(`text ${id}`)?.part ?? begin(`text ${id}`, { type: 'text', text: '' }, endOf(of, 'text-end', id));
  const reasoningPart = (id: string, of: Chunk) =>
    open.get(`reasoning ${id}`)?.part ??
    begin(`reasoning ${id}`, { type: 'reasoning', reasoning: '' }, endOf(of, 'reasoning-end', id));

  return {
    add(chunk) {
      chunks.push(chunk);
      switch (chunk.type) {
        case 'text-start':
          return void textPart(chunk.payload.id, chunk);
        case 'text-delta': {
          const part = textPart(chunk.payload.id, chunk);
          if (part.type === 'text') part.text += grow(chunk.payload.text);
          return;
        }
        case 'text-end':
          return void open.delete(`text ${chunk.payload.id}`);
        case 'reasoning-start':
          return void reasoningPart(chunk.payload.id, chunk);
        case 'reasoning-delta': {
          const part = reasoningPart(chunk.payload.id, chunk);
          if (part.type === 'reasoning') part.reasoning += grow(chunk.payload.text);
          return;
        }
        case 'reasoning-end':
          return void open.delete(`reasoning ${chunk.payload.id}`);
        case 'tool-call': {
          const { toolCallId, toolName, args = null, providerExecuted } = chunk.payload;
          grow(JSON.stringify(args));
          const toolInvocation = { state: 'call' as const, toolCallId, toolName, args };
          return void parts.push({
            type: 'tool-invocation',
            toolInvocation,
            ...(providerExecuted && { providerExecuted }),
          });
        }
        case 'source':
          return void parts.push({ type: 'source', source: chunk.payload });
        case 'file':
          return void parts.push({ type: 'file', data: grow(chunk.payload.data), mimeType: chunk.payload.mimeType });
        default:
          return;
      }
    },
    message: () => ({
      id: messageId,
      role: 'assistant',
      createdAt,
      content: { format: 2, parts: parts.filter((part) => part.type !== 'text' || part.text !== '') },
    }),
    reasoning: () => parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join(''),
    chunks: () => chunks,
    endsOfOpenParts: () => [...open.values()].map(({ end }) => end),
  };
}

function endOf({ runId, from }: Chunk, type: 'text-end' | 'reasoning-end', id: string): Chunk {
  return { type, runId, from, payload: { id } };
}
