// Shapes: https://platform.openai.com/docs/api-reference/chat/object and /chat/streaming. Reasoning is `reasoning_content`,
// the convention of OpenAI-compatible servers.
import type { TokenCounts } from './token-counts.ts';

export type ChatHead = { id: string; model: string; created: number };

/** @param argsText the arguments as JSON */
export type ChatCall = { id: string; name: string; argsText: string };

export type ChatAnswerMessage = {
  content: string | null;
  refusal?: string | null;
  reasoning_content?: string;
  tool_calls?: readonly object[];
};

export const describeChatCall = ({ id, name, argsText }: ChatCall) => ({
  id,
  type: 'function',
  function: { name, arguments: argsText },
});

export const describeCompletion = (
  { id, model, created }: ChatHead,
  message: ChatAnswerMessage,
  finishReason: string,
  usage: TokenCounts,
): object => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', refusal: null, ...message },
      finish_reason: finishReason,
      logprobs: null,
    },
  ],
  usage: describeUsage(usage),
});

const describeUsage = ({ inputTokens = 0, outputTokens = 0, ...more }: TokenCounts) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: more.totalTokens ?? inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: more.cachedInputTokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: more.reasoningTokens ?? 0 },
});

export type ChunkWriter = {
  formatDelta(delta: object): string;
  formatFinish(reason: string): string;
  formatUsage(usage: TokenCounts): string;
  formatError(error: object): string;
  done: string;
};

/** @param includesUsage whether the client has requested a last chunk with the usage: all others have null, as OpenAI's have */
export function createChunkWriter({ id, model, created }: ChatHead, includesUsage: boolean): ChunkWriter {
  const head = { id, object: 'chat.completion.chunk', created, model };
  // The members of every chunk are encoded once: a stream has thousands of them.
  const prefix = `${JSON.stringify(head).slice(0, -1)},"choices":[{"index":0,"delta":`;
  const closing = includesUsage ? '],"usage":null}' : ']}';
  const formatChunk = (delta: object, finish: string | null) =>
    `data: ${prefix}${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}${closing}\n\n`;
  const formatData = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  return {
    formatDelta: (delta) => formatChunk(delta, null),
    formatFinish: (reason) => formatChunk({}, reason),
    formatUsage: (usage) => formatData({ ...head, choices: [], usage: describeUsage(usage) }),
    formatError: (error) => formatData({ error }),
    done: 'data: [DONE]\n\n',
  };
}

/** Generates the deltas of a call as the openai clients join them: its id and name, then its arguments in pieces. */
export function* generateCallDeltas(
  call: ChatCall,
  index: number,
  pieces: Iterable<string> = [call.argsText],
): Generator<object> {
  yield { tool_calls: [{ index, ...describeChatCall({ ...call, argsText: '' }) }] };
  for (const piece of pieces) yield { tool_calls: [{ index, function: { arguments: piece } }] };
}
