// Sends a check for the caller of a request and counts the tokens of the model calls that guards made for it.
import { MillraceError, type ApiRequestInput, type CheckAnswer, type TryAnswer } from '@millrace/contracts';
import type { Access } from '../access/access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';

/** @throws agent-unknown, also for an agent that the key may not use */
export async function runCheck(
  access: Access,
  request: ApiRequestInput<'check'>,
  { limits }: Pick<GatewayContext, 'limits'>,
): Promise<CheckAnswer> {
  if (!access.mayUse(request.agent))
    throw new MillraceError('agent-unknown', `No agent "${request.agent.slice(0, 100)}" is applied.`, {
      path: 'agent',
      remedy: 'GET /v1/agents lists the agents of this key.',
    });
  const answer = await (await access.connectClient()).check(request);
  await countUsage(access, answer, limits);
  return answer;
}

/** Judges a text with one processor, and counts its model calls. */
export async function runTry(
  access: Access,
  request: ApiRequestInput<'processors-try'>,
  { limits }: Pick<GatewayContext, 'limits'>,
): Promise<TryAnswer> {
  const answer = await (await access.connectOperator()).processors.try(request);
  await countUsage(access, answer, limits);
  return answer;
}

async function countUsage(access: Access, { usage }: Pick<CheckAnswer, 'usage'>, limits: GatewayContext['limits']) {
  const tokens = usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  await limits.countTokens(access, tokens);
}
