// The input of a run, and the prompt of each of its model calls, within a limit of tokens.
import type { CommonArgs, ProcessInputArgs, ProcessLLMRequestArgs, ProcessLLMRequestResult } from '@millrace/processor';
import { refuse, refuseUnjudged } from '../guard/report.ts';
import type { Task } from '../work/task.ts';
import { fitTokens } from './fit-tokens.ts';
import { toldByMessage, toldByPrompt, unitsOf, type Told } from './message-units.ts';
import type { TokenLimiterOptions } from './token-limiter-options.ts';

export type TokenLimiter = TokenLimiterOptions & { task: Task<number> };

export async function limitInput(limiter: TokenLimiter, args: ProcessInputArgs): Promise<void> {
  const { messageList, systemMessages } = args;
  const messages = messageList.get.all.db();
  const system = systemMessages.map(({ content }): Told => ({ role: 'system', texts: [content] }));
  // A caller's system message stands among the messages and in its group.
  const told = messages.map(toldByMessage).map((one) => (one.role === 'system' ? { ...one, texts: [] } : one));
  const dropped = await fit(limiter, args, [...system, ...told]);
  const ids = dropped.flatMap((at) => messages[at - system.length]?.id ?? []);
  if (ids.length > 0) messageList.removeByIds(ids);
}

export async function limitRequest(
  limiter: TokenLimiter,
  args: ProcessLLMRequestArgs,
): Promise<ProcessLLMRequestResult> {
  const dropped = new Set(await fit(limiter, args, args.prompt.map(toldByPrompt)));
  return dropped.size === 0 ? undefined : { prompt: args.prompt.filter((_, at) => !dropped.has(at)) };
}

/** The places of what goes. Throws (abort, halt) where what must stay does not fit, and with strategy abort. */
async function fit(limiter: TokenLimiter, args: CommonArgs, told: readonly Told[]): Promise<number[]> {
  const { limit, trimMode, strategy, response } = limiter;
  const outcome = await limiter.task.run(
    told.map(({ texts }) => texts.join('\n')),
    args.abortSignal,
  );
  if ('exceeded' in outcome) return refuseUnjudged(args, response, outcome.exceeded);
  const units = unitsOf(told, outcome.found);
  const { dropped, required } = fitTokens(units, limit, trimMode);
  if (required > limit) return stop(limiter, args, 'The system messages and the turn that is under way are', required);
  if (dropped.length === 0) return dropped;
  const tokens = units.reduce((sum, unit) => sum + unit.tokens, 0);
  if (strategy === 'abort') return stop(limiter, args, 'The conversation is', tokens);
  const message = `The conversation is longer than ${limit} tokens: ${dropped.length} older messages were left out.`;
  args.onViolation({ message, rule: RULE, strategy, count: dropped.length, detail: { tokens, limit } });
  return dropped;
}

const RULE = 'too-many-tokens';

function stop({ limit, response }: TokenLimiter, args: CommonArgs, what: string, tokens: number): never {
  const message = `${what} longer than ${limit} tokens.`;
  args.onViolation({ message, rule: RULE, strategy: 'abort', detail: { tokens, limit } });
  return refuse(args, response, message, { rules: [RULE] });
}
