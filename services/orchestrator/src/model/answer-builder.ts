// Builds a model's answer from the chunks that passed. Nothing else of the stream is stored or given to tools.
import {
  MillraceError,
  jsonObjectSchema,
  jsonValueSchema,
  nameText,
  pickCall,
  type Chunk,
  type ChunkOf,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessagePart,
} from '@millrace/contracts';
import { z } from 'zod';
import { sealAnswerPart } from './reasoning-seal.ts';

/**
 * UTF-16 code units of text, reasoning, arguments and files together. A record of the run's state holds an answer four times (as
 * message, text and changes), the result five times, each in one message of 8 MiB at most; twice a model's longest answer.
 */
const MAX_ANSWER_CHARS = 1024 * 1024;
/** Maximum number of chunks of one answer: a chunk without text has no length that could be counted. */
const MAX_ANSWER_CHUNKS = 256 * 1024;
/** Maximum number of parts of text and reasoning of one answer: each is an item of a response, and readers look for open ones. */
const MAX_ANSWER_PARTS = 1_024;
/** Maximum size of data outside the answer (raw data, results of provider tools), as JSON. No record holds it. */
const MAX_OUTSIDE_CHARS = 16 * 1024 * 1024;
/** Maximum number of calls of one answer. */
export const MAX_TOOL_CALLS = 128;

export type AnswerBuilder = {
  /** @throws model-answer-too-large */
  add(chunk: Chunk): void;
  buildMessage(): Message;
  readReasoning(): string;
  /** Returns whether the chunks alternate between text parts: joined in their order they are another text. */
  isMixed(): boolean;
  /** As the corresponding chunks passed. */
  readWarnings(): JsonValue[];
  readResponse(): JsonObject | undefined;
  /** All chunks that passed, in order. */
  listChunks(): readonly Chunk[];
};

const warningsSchema = z.array(jsonValueSchema).catch([]);

/** Counts the size of an answer. Each method throws model-answer-too-large above its bound. */
function createAnswerSize() {
  let chars = 0;
  let outside = 0;
  let calls = 0;
  /** @param counted characters of the length that were counted before */
  const growBy = (length: number, counted = 0): void => {
    chars += Math.max(length - counted, 0);
    if (chars > MAX_ANSWER_CHARS) throw createAnswerTooLargeError(`is over ${MAX_ANSWER_CHARS} characters`);
  };
  return {
    growBy,
    /** Counts the text and returns it. */
    grow(text: string): string {
      growBy(text.length);
      return text;
    },
    growOutside(payload: unknown): void {
      outside += JSON.stringify(payload).length;
      if (outside > MAX_OUTSIDE_CHARS)
        throw createAnswerTooLargeError(`has over ${MAX_OUTSIDE_CHARS} characters outside its text`);
    },
    countCall(): void {
      calls += 1;
      if (calls > MAX_TOOL_CALLS) throw createTooManyCallsError();
    },
    countChunks(count: number): void {
      if (count > MAX_ANSWER_CHUNKS) throw createAnswerTooLargeError(`has over ${MAX_ANSWER_CHUNKS} chunks`);
    },
  };
}

/** Collects the parts of an answer in the order in which they began. */
function createAnswerParts() {
  const parts: MessagePart[] = [];
  const open = new Map<string, MessagePart>();
  /** The last text part with text. */
  let latest: MessagePart | undefined;
  let mixed = false;
  let count = 0;
  const openPart = (key: string, part: MessagePart): MessagePart => {
    const opened = open.get(key) ?? part;
    if (opened === part) {
      count += 1;
      if (count > MAX_ANSWER_PARTS) throw createAnswerTooLargeError(`has over ${MAX_ANSWER_PARTS} parts of text`);
      parts.push(part);
    }
    open.set(key, opened);
    return opened;
  };
  return {
    list: (): readonly MessagePart[] => parts,
    push: (part: MessagePart) => void parts.push(part),
    appendText(id: string, text: string): void {
      const part = openPart(`text ${id}`, { type: 'text', text: '' });
      if (part.type !== 'text') return;
      part.text += text;
      if (text === '' || part === latest) return;
      if (latest && parts.indexOf(part) < parts.indexOf(latest)) mixed = true;
      else latest = part;
    },
    appendReasoning(id: string, text: string): void {
      const part = openPart(`reasoning ${id}`, { type: 'reasoning', reasoning: '' });
      if (part.type === 'reasoning') part.reasoning += text;
    },
    endReasoning(end: ChunkOf<'reasoning-end'>['payload']): void {
      const part = open.get(`reasoning ${end.id}`);
      if (part) sealAnswerPart(parts, part, end);
      open.delete(`reasoning ${end.id}`);
    },
    isMixed: () => mixed,
    joinReasoning: () => parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join(''),
    close: (key: string) => void open.delete(key),
    /** Closes the call of a provider's own tool; a later result replaces a preliminary one. */
    addResult({ toolCallId, result, resultText, isError = false }: ChunkOf<'tool-result'>['payload']): void {
      const at = parts.findLastIndex(
        (part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId,
      );
      const part = parts[at];
      if (part?.type !== 'tool-invocation' || part['providerExecuted'] !== true) return;
      const outcome = { result, ...nameText('result', resultText), isError };
      parts[at] = { ...part, toolInvocation: { ...part.toolInvocation, state: 'result', ...outcome } };
    },
  };
}

export function createAnswerBuilder(messageId: string): AnswerBuilder {
  const parts = createAnswerParts();
  const { grow, growBy, growOutside, countCall, countChunks } = createAnswerSize();
  const chunks: Chunk[] = [];
  const createdAt = new Date().toISOString();
  /** Streamed arguments are counted piece by piece, and not again as a whole. */
  const streamedArgs = new Map<string, number>();
  let warnings: JsonValue[] = [];
  let response: JsonObject | undefined;

  return {
    add(chunk) {
      chunks.push(chunk);
      countChunks(chunks.length);
      switch (chunk.type) {
        case 'text-start':
          return parts.appendText(chunk.payload.id, '');
        case 'text-delta':
          return parts.appendText(chunk.payload.id, grow(chunk.payload.text));
        case 'text-end':
          parts.close(`text ${chunk.payload.id}`);
          return;
        case 'reasoning-start':
          return parts.appendReasoning(chunk.payload.id, '');
        case 'reasoning-delta':
          return parts.appendReasoning(chunk.payload.id, grow(chunk.payload.text));
        case 'reasoning-end':
          growBy(JSON.stringify(chunk.payload).length);
          return parts.endReasoning(chunk.payload);
        case 'tool-call-delta': {
          const { toolCallId, argsTextDelta } = chunk.payload;
          grow(argsTextDelta);
          streamedArgs.set(toolCallId, (streamedArgs.get(toolCallId) ?? 0) + argsTextDelta.length);
          return;
        }
        case 'tool-call': {
          const { args = null, argsText, providerExecuted, ...call } = chunk.payload;
          const { toolCallId } = call;
          countCall();
          growBy(JSON.stringify(args).length + (argsText?.length ?? 0), streamedArgs.get(toolCallId));
          const toolInvocation = { state: 'call' as const, ...pickCall({ ...call, args, argsText }) };
          parts.push({ type: 'tool-invocation', toolInvocation, ...(providerExecuted && { providerExecuted }) });
          return;
        }
        case 'source':
          grow(JSON.stringify(chunk.payload));
          parts.push({ type: 'source', source: chunk.payload });
          return;
        case 'file':
          parts.push({ type: 'file', data: grow(chunk.payload.data), mimeType: chunk.payload.mimeType });
          return;
        case 'tool-result':
          growBy(JSON.stringify(chunk.payload.result).length + (chunk.payload.resultText?.length ?? 0));
          return parts.addResult(chunk.payload);
        case 'step-start':
          warnings = warningsSchema.parse(chunk.payload.warnings ?? []);
          return;
        case 'response-metadata': {
          growOutside(chunk.payload);
          response = jsonObjectSchema.safeParse(chunk.payload).data;
          return;
        }
        default:
          return 'payload' in chunk ? growOutside(chunk.payload) : undefined;
      }
    },
    buildMessage: () => ({
      id: messageId,
      role: 'assistant',
      createdAt,
      content: { format: 2, parts: parts.list().filter((part) => part.type !== 'text' || part.text !== '') },
    }),
    readReasoning: parts.joinReasoning,
    isMixed: parts.isMixed,
    readWarnings: () => warnings,
    readResponse: () => response,
    listChunks: () => chunks,
  };
}

function createAnswerTooLargeError(how: string): MillraceError {
  return new MillraceError('model-answer-too-large', `The answer ${how}.`, {
    remedy:
      'Set modelSettings.maxOutputTokens, add a content-length guard, or correct a processor that enlarges the answer.',
  });
}
export const createTooManyCallsError = (): MillraceError =>
  createAnswerTooLargeError(`has over ${MAX_TOOL_CALLS} tool calls`);
/** Only the answer builder throws these errors, so their message is the orchestrator's. */
export const isTooLarge = (error: unknown): boolean =>
  MillraceError.isInstance(error) && (error.code === 'model-answer-too-large' || error.code === 'release-hold-full');
