// token-limiter: drops the oldest messages of a prompt, or truncates an answer, to stay within a token limit. The last
// user message, the system messages, and the tool calls of this turn with their results always stay.
import { defineProcessor } from '@millrace/processor';
import { createTask } from '../../work/task.ts';
import { MAX_COUNTED_AT_ONCE, createPieceCounter, tokenCountingTask, type CountPiece } from './count-tokens.ts';
import { limitResult, limitStream } from './limit-answer.ts';
import { limitInput, limitRequest } from './limit-prompt.ts';
import { tokenLimiterOptions, type TokenLimiterOptions } from './token-limiter-options.ts';

/**
 * Under `input` it keeps the prompt within the limit by removing the oldest messages first. Under `output` it truncates
 * the answer, at the same word regardless of the chunk sizes. The last user message, the system messages, and this
 * turn's tool calls with their results always stay.
 *
 * @verdict continue: with the part that fits
 * @verdict abort: strategy abort, or the messages that must stay exceed the limit
 * @verdict halt: the same, if `response` is set
 * @cannot Summarize the messages that it removes.
 * @cannot Count exactly as every provider does: an estimate is some percent off, and `exact` uses one encoding.
 * @example
 * input:
 *   - use: token-limiter
 *     options: { limit: 8000 }
 * output:
 *   - use: token-limiter
 *     options: { limit: 1000, counting: exact }
 */
export const tokenLimiter = defineProcessor({
  id: 'token-limiter',
  description: 'Limits the tokens of a prompt or an answer.',
  aliases: ['TokenLimiter', 'TokenLimiterProcessor'],
  stages: ['processInput', 'processLLMRequest', 'processOutputStream', 'processOutputResult'],
  positions: { input: 610, output: 160 },
  reads: ['input', 'remembered', 'context', 'system', 'response', 'prompt'],
  options: tokenLimiterOptions,
  create(options) {
    const limiter = createLimiter(options);
    return {
      id: 'token-limiter',
      processInput: (args) => limitInput(limiter, args),
      processLLMRequest: (args) => limitRequest(limiter, args),
      processOutputStream: (args) => limitStream(limiter, args),
      processOutputResult: (args) => limitResult(limiter, args),
    };
  },
});

function createLimiter(options: TokenLimiterOptions) {
  const { counting } = options;
  let count: CountPiece | undefined;
  return {
    ...options,
    task: createTask(tokenCountingTask, { counting }, MAX_COUNTED_AT_ONCE),
    count: () => (count ??= createPieceCounter(counting)),
  };
}
