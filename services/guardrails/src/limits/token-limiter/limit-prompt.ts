// Limits the input of a run, and the prompt of each of its model calls, to a number of tokens.
import type { CommonArgs, ProcessInputArgs, ProcessLLMRequestArgs, ProcessLLMRequestResult } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../../guard/report.ts';
import type { Task } from '../../work/task.ts';
import { fitTokens } from './fit-tokens.ts';
import type { CountedText } from './count-tokens.ts';
import { readMessage, readPromptMessage, findRequired, groupUnits, type CountedMessage } from './message-units.ts';
import type { TokenLimiterOptions } from './token-limiter-options.ts';

export type TokenLimiter = TokenLimiterOptions & { task: Task<CountedText> };

export async function limitInput(limiter: TokenLimiter, args: ProcessInputArgs): Promise<void> {
  const { messageList, systemMessages } = args;
  const messages = messageList.get.all.db();
  const system = systemMessages.map(({ content }): CountedMessage => ({ role: 'system', texts: [content] }));
  // A caller's system message is among the messages and also in its group.
  const counted = messages.map(readMessage).map((one) => (one.role === 'system' ? { ...one, texts: [] } : one));
  const dropped = await fit(limiter, args, [...system, ...counted]);
  const ids = dropped.flatMap((at) => messages[at - system.length]?.id ?? []);
  if (ids.length > 0) messageList.removeByIds(ids);
}

export async function limitRequest(
  limiter: TokenLimiter,
  args: ProcessLLMRequestArgs,
): Promise<ProcessLLMRequestResult> {
  const dropped = new Set(await fit(limiter, args, args.prompt.map(readPromptMessage)));
  return dropped.size === 0 ? undefined : { prompt: args.prompt.filter((_, at) => !dropped.has(at)) };
}

/**
 * Returns the indexes of the dropped messages. Throws (abort, halt) if the required messages do not fit, or if the
 * strategy is abort.
 */
async function fit(limiter: TokenLimiter, args: CommonArgs, counted: readonly CountedMessage[]): Promise<number[]> {
  const { limit, trimMode, strategy, response } = limiter;
  const outcome = await limiter.task.run(
    counted.map(({ texts }) => texts.join('\n')),
    args.abortSignal,
  );
  if ('exceeded' in outcome) return refuseUnjudged(args, response, outcome.exceeded);
  const tokens = outcome.found.map((text) => text.tokens);
  const units = groupUnits(counted, tokens, findRequired(counted.map(({ role }) => role)));
  const { dropped, required } = fitTokens(units, limit, trimMode);
  if (required > limit) return stop(limiter, args, 'The system messages and the current turn are', required);
  if (dropped.length === 0) return dropped;
  const all = units.reduce((sum, unit) => sum + unit.tokens, 0);
  if (strategy === 'abort') return stop(limiter, args, 'The conversation is', all);
  const message = `The conversation is longer than ${limit} tokens: ${dropped.length} older messages were left out.`;
  args.onViolation({ message, rule: RULE, strategy, count: dropped.length, detail: { tokens: all, limit } });
  return dropped;
}

const RULE = 'too-many-tokens';

function stop({ limit, response }: TokenLimiter, args: CommonArgs, what: string, tokens: number): never {
  const message = `${what} longer than ${limit} tokens.`;
  args.onViolation({ message, rule: RULE, strategy: 'abort', detail: { tokens, limit } });
  return refuse(args, response, message, { rules: [RULE] });
}
