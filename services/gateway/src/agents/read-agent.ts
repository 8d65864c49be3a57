// Reads the agent that the path of a request names.
import { MillraceError } from '@millrace/contracts';

/** @throws agent-unknown also for agents that the key may not use */
export function readAgent(
  params: Readonly<Record<string, string>>,
  access: { mayUse(agent: string): boolean },
): string {
  const { agent = '' } = params;
  if (access.mayUse(agent)) return agent;
  throw new MillraceError('agent-unknown', `No agent "${agent}" is applied.`, {
    path: 'agent',
    remedy: 'GET /v1/agents lists the agents of this key.',
  });
}
