// Replies as chat completions, whole and as chunks. Reasoning travels as `reasoning_content`, the convention of
// OpenAI-compatible servers (OpenAI's own chat API shows none, and its client ignores the field).
// Shapes: https://platform.openai.com/docs/api-reference/chat/object and /chat/streaming
import { errorType } from '../api/api-error.ts';
import { newId, pause, unixSeconds, type Frame, type Wire } from '../api/wire.ts';
import type { ModelCall } from '../conversation.ts';
import { usageOf } from '../output-limit.ts';
import { chunked, type Reply, type ReplyFailure } from '../reply.ts';

export const chatWire = (includeUsage: boolean): Wire => ({
  frames: (call, reply) => chatFrames(call, reply, includeUsage),
  body: chatBody,
});

function chatBody(call: ModelCall, reply: Reply): object {
  return {
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: unixSeconds(),
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
            tool_calls: reply.toolCalls.map((toolCall) => ({
              id: newId('call_'),
              type: 'function',
              function: toolCall,
            })),
          }),
        },
        logprobs: null,
        finish_reason: finishReason(reply),
      },
    ],
    usage: chatUsage(call, reply),
  };
}

function* chatFrames(call: ModelCall, reply: Reply, includeUsage: boolean): Generator<Frame, void> {
  // What all chunks share is serialized once: per delta only the delta itself is.
  const identity = JSON.stringify({
    id: newId('chatcmpl-'),
    object: 'chat.completion.chunk',
    created: unixSeconds(),
    model: call.model,
  }).slice(0, -1);
  const head = `data: ${identity},"choices":[{"index":0,"delta":`;
  const usageField = includeUsage ? ',"usage":null' : '';
  const tail = `,"logprobs":null,"finish_reason":null}]${usageField}}\n\n`;

  yield `${head}{"role":"assistant"}${tail}`;
  let isFirst = true;
  for (const delta of chatDeltas(reply)) {
    if (!isFirst) yield pause;
    isFirst = false;
    yield head + delta + tail;
  }
  if (reply.failure !== undefined) {
    yield failureFrame(reply.failure);
    return;
  }
  yield `${head}{},"logprobs":null,"finish_reason":"${finishReason(reply)}"}]${usageField}}\n\n`;
  if (includeUsage) yield `data: ${identity},"choices":[],"usage":${JSON.stringify(chatUsage(call, reply))}}\n\n`;
  yield 'data: [DONE]\n\n';
}

function* chatDeltas(reply: Reply): Generator<string> {
  for (const piece of chunked(reply.reasoning, reply.chunkSize)) yield `{"reasoning_content":${JSON.stringify(piece)}}`;
  for (const piece of chunked(reply.text, reply.chunkSize)) yield `{"content":${JSON.stringify(piece)}}`;
  for (const [index, { name, arguments: args }] of reply.toolCalls.entries()) {
    const opening = { index, id: newId('call_'), type: 'function', function: { name, arguments: '' } };
    yield JSON.stringify({ tool_calls: [opening] });
    for (const piece of chunked(args, reply.chunkSize)) {
      yield `{"tool_calls":[{"index":${index},"function":{"arguments":${JSON.stringify(piece)}}}]}`;
    }
  }
}

/** In mid-stream there is no status line any more: the status travels as the code, where the client looks for one. */
const failureFrame = ({ status, message }: ReplyFailure): string =>
  `data: ${JSON.stringify({ error: { message, type: errorType(status), param: null, code: String(status) } })}\n\n`;

function finishReason(reply: Reply): string {
  if (reply.finish === 'length') return 'length';
  return reply.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}

function chatUsage(call: ModelCall, reply: Reply): object {
  const { input, output, reasoning } = usageOf(call, reply);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
