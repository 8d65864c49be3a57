// Serializes replies as chat completions, whole and as chunks. Reasoning is `reasoning_content`, the convention of
// OpenAI-compatible servers (OpenAI's own chat API returns none, and its client ignores the field). Shapes:
// https://platform.openai.com/docs/api-reference/chat/object and /chat/streaming
import { chooseErrorType } from '../api/api-error.ts';
import { createId, pause, readUnixSeconds, type Frame, type ApiWire } from '../api/wire.ts';
import type { ServedCall } from '../conversation.ts';
import { countUsage } from '../output-limit.ts';
import { splitChunks, type ModelReply, type ReplyFailure } from '../reply.ts';

export const createChatWire = (includeUsage: boolean): ApiWire => ({
  frames: (call, reply) => generateChatFrames(call, reply, includeUsage),
  body: buildChatBody,
});

function buildChatBody(call: ServedCall, reply: ModelReply): object {
  return {
    id: createId('chatcmpl-'),
    object: 'chat.completion',
    created: readUnixSeconds(),
    model: call.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: reply.text === '' && reply.toolCalls.length > 0 ? null : reply.text,
          refusal: null,
          ...(reply.reasoning !== '' && { reasoning_content: reply.reasoning }),
          ...(reply.toolCalls.length > 0 && {
            tool_calls: reply.toolCalls.map(({ id = createId('call_'), ...called }) => ({
              id,
              type: 'function',
              function: called,
            })),
          }),
        },
        logprobs: null,
        finish_reason: finishReason(reply),
      },
    ],
    usage: buildChatUsage(call, reply),
  };
}

function* generateChatFrames(call: ServedCall, reply: ModelReply, includeUsage: boolean): Generator<Frame, void> {
  // Serializes the common fields of all chunks once; each delta adds only itself.
  const identity = JSON.stringify({
    id: createId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: readUnixSeconds(),
    model: call.model,
  }).slice(0, -1);
  const head = `data: ${identity},"choices":[{"index":0,"delta":`;
  const usageField = includeUsage ? ',"usage":null' : '';
  const tail = `,"logprobs":null,"finish_reason":null}]${usageField}}\n\n`;

  yield `${head}{"role":"assistant"}${tail}`;
  let isFirst = true;
  for (const delta of generateChatDeltas(reply)) {
    if (!isFirst) yield pause;
    isFirst = false;
    yield head + delta + tail;
  }
  if (reply.failure !== undefined) {
    yield formatFailureFrame(reply.failure);
    return;
  }
  yield `${head}{},"logprobs":null,"finish_reason":"${finishReason(reply)}"}]${usageField}}\n\n`;
  if (includeUsage) yield `data: ${identity},"choices":[],"usage":${JSON.stringify(buildChatUsage(call, reply))}}\n\n`;
  yield 'data: [DONE]\n\n';
}

function* generateChatDeltas(reply: ModelReply): Generator<string> {
  for (const piece of splitChunks(reply.reasoning, reply.chunkSize))
    yield `{"reasoning_content":${JSON.stringify(piece)}}`;
  for (const piece of splitChunks(reply.text, reply.chunkSize)) yield `{"content":${JSON.stringify(piece)}}`;
  for (const [index, { id = createId('call_'), name, arguments: args }] of reply.toolCalls.entries()) {
    const opening = { index, id, type: 'function', function: { name, arguments: '' } };
    yield JSON.stringify({ tool_calls: [opening] });
    for (const piece of splitChunks(args, reply.chunkSize)) {
      yield `{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`;
    }
  }
}

/** A started stream has no status line: the code carries the status, and the client reads it there. */
const formatFailureFrame = ({ status, message }: ReplyFailure): string =>
  `data: ${JSON.stringify({ error: { message, type: chooseErrorType(status), param: null, code: String(status) } })}\n\n`;

function finishReason(reply: ModelReply): string {
  if (reply.finish === 'length') return 'length';
  return reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function buildChatUsage(call: ServedCall, reply: ModelReply): object {
  const { input, output, reasoning } = countUsage(call, reply);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
