// The agents' verbs: apply (resolved with its plan, or refused with every problem), list, get, plan.
import { MillraceError, type ApiAnswer, type ApiRequest, type AppliedAgent, type JsonValue } from '@millrace/contracts';
import type { AgentStore } from '../agents/agent-store.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import type { Discovery } from '../peers/discovery.ts';

type Tenant = { tenant: string };

export function createAgentsApi(store: AgentStore, discovery: Discovery) {
  /** @throws agent-invalid, with all issues */
  const resolve = async (definition: JsonValue): Promise<AppliedAgent> => {
    await discovery.refresh();
    const [processors, tools, refused] = [discovery.processors(), discovery.tools(), discovery.refused()];
    const resolved = resolveAgent(definition, { processors, tools, refused });
    if ('issues' in resolved) {
      const lines = resolved.issues.map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`).join(' ');
      throw new MillraceError('agent-invalid', `The agent is refused. ${lines}`, { issues: resolved.issues });
    }
    return { ...resolved, revision: 0, appliedAt: new Date().toISOString() };
  };
  const get = async (tenant: string, agent: string): Promise<AppliedAgent> => {
    const applied = await store.get(tenant, agent);
    if (applied) return applied;
    const names = store.list(tenant).map((one) => one.agent.name);
    throw unknownAgent(agent, names);
  };
  return {
    async apply(
      { definition, dryRun }: ApiRequest<'agents-apply'>,
      { tenant }: Tenant,
    ): Promise<ApiAnswer<'agents-apply'>> {
      const applied = await resolve(definition);
      const there = await store.get(tenant, applied.agent.name);
      const unchanged = there && sameAgent(there, applied);
      if (dryRun || unchanged) return { applied: unchanged ? there : applied, changed: !unchanged, warnings: [] };
      return { applied: await store.put(tenant, applied), changed: true, warnings: [] };
    },
    list: async (_request: object, { tenant }: Tenant): Promise<ApiAnswer<'agents-list'>> => ({
      agents: store.list(tenant),
    }),
    get: async ({ agent }: ApiRequest<'agents-get'>, { tenant }: Tenant) => get(tenant, agent),
    async plan({ agent, definition }: ApiRequest<'agents-plan'>, { tenant }: Tenant) {
      if (definition !== undefined) return resolve(definition);
      if (agent !== undefined) return get(tenant, agent);
      throw new MillraceError('message-invalid', 'agents-plan takes an agent or a definition.');
    },
  };
}

function sameAgent(one: AppliedAgent, other: AppliedAgent): boolean {
  return JSON.stringify([one.agent, one.plan]) === JSON.stringify([other.agent, other.plan]);
}

export function unknownAgent(agent: string, names: readonly string[]): MillraceError {
  return new MillraceError('agent-unknown', `There is no agent "${agent}".`, {
    path: 'agent',
    remedy:
      names.length > 0 ? `Choose one of ${names.join(', ')}, or apply it.` : 'Apply it: millrace agents apply FILE.',
  });
}
