// token-limiter: keeps a prompt within a limit of tokens by leaving out the oldest messages, and an answer by cutting its end. What
// the user said last, the system messages, and the tool calls of this turn with their results always stay.
import { defineProcessor } from '@millrace/processor';
import { createTask } from '../work/task.ts';
import { MAX_COUNTED_AT_ONCE, pieceCounter, prepareTokenCounting, type CountPiece } from './count-tokens.ts';
import { limitResult, limitStream } from './limit-answer.ts';
import { limitInput, limitRequest } from './limit-prompt.ts';
import { tokenLimiterOptions, type TokenLimiterOptions } from './token-limiter-options.ts';

/**
 * Under `input` it keeps the prompt within the limit: the oldest messages go first. Under `output` it cuts the answer, at the same word
 * however it is streamed. What the user said last, the system messages, and this turn's tool calls with their results always stay.
 *
 * @verdict continue: with what fits
 * @verdict abort: strategy abort, or what must stay is more than the limit
 * @verdict halt: the same, where `response` is set
 * @cannot Summarize what it leaves out.
 * @cannot Count as every provider does: an estimate is some percent off, and `exact` is one encoding's.
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
  description: 'Keeps a prompt, or an answer, within a limit of tokens.',
  aliases: ['TokenLimiter', 'TokenLimiterProcessor'],
  stages: ['processInput', 'processLLMRequest', 'processOutputStream', 'processOutputResult'],
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
    task: createTask('token-limiter', prepareTokenCounting, { counting }, MAX_COUNTED_AT_ONCE),
    count: () => (count ??= pieceCounter(counting)),
  };
}
