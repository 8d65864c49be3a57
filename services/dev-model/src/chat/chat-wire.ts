// Serializes replies as chat completions, whole and as chunks. OpenAI's own chat API returns no reasoning, and its client
// ignores the field.
import {
  chooseErrorType,
  createChunkWriter,
  describeChatCall,
  describeCompletion,
  generateCallDeltas,
  type ChatHead,
} from '@millrace/openai-wire';
import { createId, pause, readUnixSeconds, type Frame, type ApiWire } from '../api/wire.ts';
import type { ServedCall } from '../conversation.ts';
import { countUsage } from '../output-limit.ts';
import { splitChunks, type ModelReply, type ReplyFailure } from '../reply.ts';

export const createChatWire = (includeUsage: boolean): ApiWire => ({
  frames: (call, reply) => generateChatFrames(call, reply, includeUsage),
  body: buildChatBody,
});

const createHead = ({ model }: ServedCall): ChatHead => ({
  id: createId('chatcmpl-'),
  model,
  created: readUnixSeconds(),
});

const toChatCall = ({ id = createId('call_'), name, arguments: argsText }: ModelReply['toolCalls'][number]) => ({
  id,
  name,
  argsText,
});

function buildChatBody(call: ServedCall, reply: ModelReply): object {
  const { text, reasoning, toolCalls } = reply;
  const message = {
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map((one) => describeChatCall(toChatCall(one))) }),
  };
  return describeCompletion(createHead(call), message, finishReason(reply), countUsage(call, reply));
}

function* generateChatFrames(call: ServedCall, reply: ModelReply, includeUsage: boolean): Generator<Frame, void> {
  const writer = createChunkWriter(createHead(call), includeUsage);
  yield writer.formatDelta({ role: 'assistant' });
  let isFirst = true;
  for (const delta of generateChatDeltas(reply)) {
    if (!isFirst) yield pause;
    isFirst = false;
    yield writer.formatDelta(delta);
  }
  if (reply.failure !== undefined) {
    yield writer.formatError(describeFailure(reply.failure));
    return;
  }
  yield writer.formatFinish(finishReason(reply));
  if (includeUsage) yield writer.formatUsage(countUsage(call, reply));
  yield writer.done;
}

function* generateChatDeltas({ reasoning, text, toolCalls, chunkSize }: ModelReply): Generator<object> {
  for (const piece of splitChunks(reasoning, chunkSize)) yield { reasoning_content: piece };
  for (const piece of splitChunks(text, chunkSize)) yield { content: piece };
  for (const [index, called] of toolCalls.entries())
    yield* generateCallDeltas(toChatCall(called), index, splitChunks(called.arguments, chunkSize));
}

/** A started stream has no status line: the code carries the status, and the client reads it there. */
const describeFailure = ({ status, message }: ReplyFailure): object => ({
  message,
  type: chooseErrorType(status),
  param: null,
  code: String(status),
});

function finishReason(reply: ModelReply): string {
  if (reply.finish === 'length') return 'length';
  return reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}
