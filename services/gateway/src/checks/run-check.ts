// Sends a check for the caller of a request and counts the tokens of the model calls that guards made for it.
import { MillraceError, type ApiRequestInput, type CheckAnswer } from '@millrace/contracts';
import type { Access } from '../access/access.ts';
import type { GatewayContext } from '../gateway-context.ts';

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
  const answer = await (await access.client()).check(request);
  const tokens = answer.usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  await limits.countTokens(access, tokens);
  return answer;
}
