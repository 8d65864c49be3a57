// A model's answer, built from the chunks that were let through. Nothing else of the stream is ever stored or given to tools.
import {
  MillraceError,
  jsonObjectSchema,
  jsonValueSchema,
  type Chunk,
  type ChunkOf,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
} from '@millrace/contracts';
import { z } from 'zod';

/**
 * UTF-16 code units of text, reasoning, arguments and files together. A record of the run's state holds an answer four times (as
 * message, text and changes), the result five times, each in one message of 8 MiB at most; twice a model's longest answer.
 */
const MAX_ANSWER_CHARS = 1024 * 1024;
/** Chunks of one answer: one without text has no length that could be counted. */
const MAX_ANSWER_CHUNKS = 256 * 1024;
/** What passes beside the answer (raw data, what a provider's tools gave back), as JSON. It stands in no record. */
const MAX_BESIDE_CHARS = 16 * 1024 * 1024;
/** Calls of one answer. */
export const MAX_TOOL_CALLS = 128;

export type AnswerBuilder = {
  /** @throws model-answer-too-large */
  add(chunk: Chunk): void;
  message(): Message;
  reasoning(): string;
  /** As the chunks that tell of them were let through. */
  warnings(): JsonValue[];
  response(): JsonObject | undefined;
  /** Everything that was let through, in order. */
  chunks(): readonly Chunk[];
};

const warningsSchema = z.array(jsonValueSchema).catch([]);

export function createAnswerBuilder(messageId: string): AnswerBuilder {
  const parts: MessagePart[] = [];
  const open = new Map<string, MessagePart>();
  const chunks: Chunk[] = [];
  const createdAt = new Date().toISOString();
  /** Arguments that came in pieces are counted as they come, and not again as a whole. */
  const streamedArgs = new Map<string, number>();
  let chars = 0;
  let beside = 0;
  let calls = 0;
  let warnings: JsonValue[] = [];
  let response: JsonObject | undefined;

  const grow = (text: string, counted = 0) => {
    chars += Math.max(text.length - counted, 0);
    if (chars <= MAX_ANSWER_CHARS) return text;
    throw tooLarge(`is over ${MAX_ANSWER_CHARS} characters`);
  };
  const growBeside = (payload: unknown) => {
    beside += JSON.stringify(payload).length;
    if (beside > MAX_BESIDE_CHARS) throw tooLarge(`has over ${MAX_BESIDE_CHARS} characters beside its text`);
  };
  const begin = (key: string, part: MessagePart) => {
    parts.push(part);
    open.set(key, part);
    return part;
  };
  const textPart = (id: string) => open.get(`text ${id}`) ?? begin(`text ${id}`, { type: 'text', text: '' });
  const reasoningPart = (id: string) =>
    open.get(`reasoning ${id}`) ?? begin(`reasoning ${id}`, { type: 'reasoning', reasoning: '' });

  /** What a provider's own tool gave back closes its call; a preliminary result is replaced by the next one. */
  const addResult = ({ toolCallId, result, isError = false }: ChunkOf<'tool-result'>['payload']) => {
    grow(JSON.stringify(result));
    const at = parts.findLastIndex(
      (part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId,
    );
    const part = parts[at];
    if (part?.type !== 'tool-invocation' || part['providerExecuted'] !== true) return;
    parts[at] = { ...part, toolInvocation: { ...part.toolInvocation, state: 'result', result, isError } };
  };

  return {
    add(chunk) {
      chunks.push(chunk);
      if (chunks.length > MAX_ANSWER_CHUNKS) throw tooLarge(`has over ${MAX_ANSWER_CHUNKS} chunks`);
      switch (chunk.type) {
        case 'text-start':
          return void textPart(chunk.payload.id);
        case 'text-delta': {
          const part = textPart(chunk.payload.id);
          if (part.type === 'text') part.text += grow(chunk.payload.text);
          return;
        }
        case 'text-end':
          return void open.delete(`text ${chunk.payload.id}`);
        case 'reasoning-start':
          return void reasoningPart(chunk.payload.id);
        case 'reasoning-delta': {
          const part = reasoningPart(chunk.payload.id);
          if (part.type === 'reasoning') part.reasoning += grow(chunk.payload.text);
          return;
        }
        case 'reasoning-end':
          return void open.delete(`reasoning ${chunk.payload.id}`);
        case 'tool-call-delta': {
          const { toolCallId, argsTextDelta } = chunk.payload;
          grow(argsTextDelta);
          streamedArgs.set(toolCallId, (streamedArgs.get(toolCallId) ?? 0) + argsTextDelta.length);
          return;
        }
        case 'tool-call': {
          const { toolCallId, toolName, args = null, providerExecuted } = chunk.payload;
          calls += 1;
          if (calls > MAX_TOOL_CALLS) throw tooManyCalls();
          grow(JSON.stringify(args), streamedArgs.get(toolCallId));
          const toolInvocation = { state: 'call' as const, toolCallId, toolName, args };
          return void parts.push({
            type: 'tool-invocation',
            toolInvocation,
            ...(providerExecuted && { providerExecuted }),
          });
        }
        case 'source':
          grow(JSON.stringify(chunk.payload));
          return void parts.push({ type: 'source', source: chunk.payload });
        case 'file':
          return void parts.push({ type: 'file', data: grow(chunk.payload.data), mimeType: chunk.payload.mimeType });
        case 'tool-result':
          return addResult(chunk.payload);
        case 'step-start':
          warnings = warningsSchema.parse(chunk.payload.warnings ?? []);
          return;
        case 'response-metadata': {
          growBeside(chunk.payload);
          response = jsonObjectSchema.safeParse(chunk.payload).data;
          return;
        }
        default:
          return 'payload' in chunk ? growBeside(chunk.payload) : undefined;
      }
    },
    message: () => ({
      id: messageId,
      role: 'assistant',
      createdAt,
      content: { format: 2, parts: parts.filter((part) => part.type !== 'text' || part.text !== '') },
    }),
    reasoning: () => parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join(''),
    warnings: () => warnings,
    response: () => response,
    chunks: () => chunks,
  };
}

function tooLarge(how: string): MillraceError {
  return new MillraceError('model-answer-too-large', `The answer ${how}.`, {
    remedy: 'Set modelSettings.maxOutputTokens, or add a content-length guard.',
  });
}
export const tooManyCalls = (): MillraceError => tooLarge(`has over ${MAX_TOOL_CALLS} tool calls`);
/** Nothing else throws this where an answer is built: the words are ours. */
export const isTooLarge = (error: unknown): boolean =>
  MillraceError.isInstance(error) && (error.code === 'model-answer-too-large' || error.code === 'release-hold-full');
