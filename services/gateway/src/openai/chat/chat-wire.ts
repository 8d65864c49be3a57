// Writes the answer of a run as a chat completion, whole and as the chunks of a stream.
import type { ErrorCode, Usage } from '@millrace/contracts';
import { chooseErrorType, createChunkWriter, generateCallDeltas, type ChatHead } from '@millrace/openai-wire';
import type { ClientCall } from '../../agents/client-calls.ts';
import type { ChatDelta } from './chat-state.ts';
import { describeOpenAiError } from '../openai-error.ts';

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

/** @param includesUsage as of createChunkWriter */
export function createChatWriter(head: ChatHead, includesUsage: boolean): ChatWriter {
  const { formatDelta, formatFinish, formatUsage, formatError, done } = createChunkWriter(head, includesUsage);
  return {
    start: () => formatDelta({ role: 'assistant', content: '' }),
    formatDelta,
    formatCalls: (calls) =>
      calls
        .flatMap((call, index) => [...generateCallDeltas(call, index)])
        .map(formatDelta)
        .join(''),
    finish: formatFinish,
    formatUsage,
    formatError: (thrown) => formatError(describeOpenAiError(thrown).error),
    formatRetraction: (code) =>
      formatError({
        message: `${describeRetraction(code)} Send the request without \`stream\`, or set \`release: result\` in the agent.`,
        type: chooseErrorType(500),
        param: null,
        code: 'answer_retracted',
      }),
    done,
  };
}

const describeRetraction = (code: ErrorCode | undefined): string =>
  code === undefined
    ? 'The agent retracted the text that it had streamed.'
    : `The stream of the model failed (${code}), and the text that it had streamed is retracted.`;
