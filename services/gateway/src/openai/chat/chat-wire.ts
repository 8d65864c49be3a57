// Writes chat completions: the object of an answer, and the chunks of a stream.
import type { ErrorCode, RunResult, Usage } from '@millrace/contracts';
import { formatEvent } from '../../http/event-stream.ts';
import type { ClientCall } from '../../agents/client-calls.ts';
import { chooseFinishReason, type ChatDelta } from './chat-state.ts';
import { chooseType, describeOpenAiError } from '../openai-error.ts';

export type ChatIdentity = { runId: string; model: string; created: number };

const describeUsage = ({ inputTokens = 0, outputTokens = 0, totalTokens, ...details }: Usage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: totalTokens ?? inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: details.cachedInputTokens ?? 0 },
  completion_tokens_details: { reasoning_tokens: details.reasoningTokens ?? 0 },
});

type ChatAnswerMessage = {
  role: 'assistant';
  content: string | null;
  refusal: string | null;
  tool_calls?: readonly object[];
};

export const describeCall = ({ id, name, argsText }: ClientCall) => ({
  id,
  type: 'function',
  function: { name, arguments: argsText },
});

export function writeCompletion(
  identity: ChatIdentity,
  message: ChatAnswerMessage,
  finishReason: string,
  usage: Usage,
): object {
  return {
    id: `chatcmpl-${identity.runId}`,
    object: 'chat.completion',
    created: identity.created,
    model: identity.model,
    choices: [{ index: 0, message, finish_reason: finishReason, logprobs: null }],
    usage: describeUsage(usage),
  };
}

export const describeResult = (
  identity: ChatIdentity,
  { text, finishReason, usage }: Pick<RunResult, 'text' | 'finishReason' | 'usage'>,
): object =>
  writeCompletion(
    identity,
    { role: 'assistant', content: text, refusal: null },
    chooseFinishReason(finishReason),
    usage,
  );

export type ChatWriter = {
  start(): string;
  formatDelta(formatDelta: ChatDelta | { refusal: string }): string;
  /** Two chunks for each call, as the openai clients join them: its id and name, then its arguments. */
  formatCalls(formatCalls: readonly ClientCall[]): string;
  finish(reason: string): string;
  formatUsage(formatUsage: Usage): string;
  formatError(thrown: unknown): string;
  /** @param code of the failed model call whose text is retracted */
  formatRetraction(code?: ErrorCode): string;
  done: string;
};

/** @param includesUsage whether the client has asked for a last chunk with the usage: all others have null, as OpenAI's have */
export function createChatWriter({ runId, model, created }: ChatIdentity, includesUsage: boolean): ChatWriter {
  const head = { id: `chatcmpl-${runId}`, object: 'chat.completion.chunk', created, model };
  // The members of every chunk are encoded once: a stream has thousands of them.
  const prefix = `${JSON.stringify(head).slice(0, -1)},"choices":[{"index":0,"delta":`;
  const closing = includesUsage ? '],"usage":null}' : ']}';
  const formatFrame = (delta: object, finish: string | null) =>
    `data: ${prefix}${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}${closing}\n\n`;
  return {
    start: () => formatFrame({ role: 'assistant', content: '' }, null),
    formatDelta: (delta) => formatFrame(delta, null),
    formatCalls: (calls) => calls.map((call, index) => writeCall(formatFrame, call, index)).join(''),
    finish: (reason) => formatFrame({}, reason),
    formatUsage: (usage) => formatEvent(JSON.stringify({ ...head, choices: [], usage: describeUsage(usage) })),
    formatError: (thrown) => formatEvent(JSON.stringify({ error: describeOpenAiError(thrown).error })),
    formatRetraction: (code) =>
      formatEvent(
        JSON.stringify({
          error: {
            message: `${describeRetraction(code)} Send the request without \`stream\`, or set \`release: result\` in the agent.`,
            type: chooseType(500),
            param: null,
            code: 'answer_retracted',
          },
        }),
      ),
    done: formatEvent('[DONE]'),
  };
}

const describeRetraction = (code: ErrorCode | undefined): string =>
  code === undefined
    ? 'The agent retracted the text that it had streamed.'
    : `The stream of the model failed (${code}), and the text that it had streamed is retracted.`;

function writeCall(buildFrame: (delta: object, finish: null) => string, call: ClientCall, index: number): string {
  const { function: called, ...head } = describeCall(call);
  const opening = { index, ...head, function: { name: called.name, arguments: '' } };
  const rest = { index, function: { arguments: called.arguments } };
  return buildFrame({ tool_calls: [opening] }, null) + buildFrame({ tool_calls: [rest] }, null);
}
