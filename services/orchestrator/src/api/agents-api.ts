// Implements the agents' verbs: apply (resolved with its plan, or refused with every problem), list, get, plan, delete.
import {
  AGENT_LIMITS,
  MillraceError,
  listCandidates,
  toWireError,
  type Agent,
  type ApiAnswer,
  type ApiRequest,
  type AppliedAgent,
  type ErrorCode,
  type Issue,
  type JsonValue,
} from '@millrace/contracts';
import type { Models } from '@millrace/models';
import type { AgentStore } from '../agents/agent-store.ts';
import { warnOfKeptEntries } from '../agents/overridable.ts';
import { warnUnequalJudges } from '../agents/memory-warnings.ts';
import { readKnown } from '../agents/entry-uses.ts';
import { findPlanWarnings } from '../agents/plan-warnings.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import { warnOfNewRules, warnWithoutRules } from '../agents/tool-rules.ts';
import { warnOfOldDefaults, warnOfRefusedFiles, warnOfRemovedRelease } from '../agents/default-warnings.ts';
import { warnToolNames } from '../agents/tool-name-warnings.ts';
import type { Discovery } from '../peers/discovery.ts';
import type { SchemaChecker } from '../peers/schema-checker.ts';

type Tenant = { tenant: string };

/** Also reported for services that did not answer in time. */
const NOT_THERE: ReadonlySet<string> = new Set<ErrorCode>(['processor-unknown', 'tool-unknown']);

export function createAgentsApi(
  store: AgentStore,
  discovery: Discovery,
  schemas: SchemaChecker,
  models: Pick<Models, 'identifyRoute'>,
) {
  /** @throws agent-invalid, with all issues up to a bound */
  const resolve = async (definition: JsonValue): Promise<AppliedAgent> => {
    const bytes = Buffer.byteLength(JSON.stringify(definition));
    if (bytes > AGENT_LIMITS.maxBytes) throw createAgentTooLargeError(bytes);
    const resolveNow = () => resolveAgent(definition, readKnown(discovery));
    await discovery.refresh();
    let resolved = resolveNow();
    if ('issues' in resolved && resolved.issues.some(({ code }) => NOT_THERE.has(code))) {
      await discovery.refreshLonger();
      resolved = resolveNow();
    }
    if ('issues' in resolved) throw createRefusedAgentError(resolved.issues);
    const unknown = listUnknownModels(resolved.agent, models);
    if (unknown.length > 0) throw createRefusedAgentError(unknown);
    const problem = await findSchemaProblem(resolved.agent, schemas);
    if (problem) throw createRefusedAgentError([problem]);
    return { ...resolved, revision: 0, appliedAt: new Date().toISOString() };
  };
  const listWarnings = (applied: AppliedAgent, others: readonly AppliedAgent[], stored?: AppliedAgent): Issue[] => [
    ...findPlanWarnings(applied.plan, discovery.listRefused(), applied.agent),
    ...warnUnequalJudges(applied, others),
    ...warnWithoutRules(applied.plan),
    ...(stored
      ? [
          ...warnOfNewRules(stored.plan, applied.plan),
          ...warnOfKeptEntries(stored.plan, applied.plan),
          ...warnOfRefusedFiles(stored.plan, applied),
        ]
      : []),
    ...warnOfRemovedRelease(applied),
    ...warnOfOldDefaults(applied.plan, (processor) => discovery.getProcessors().get(processor)?.descriptor),
    ...warnToolNames(applied.plan, (processor) => discovery.getProcessors().get(processor)?.descriptor.optionsSchema),
  ];
  const addWarnings = (tenant: string, applied: AppliedAgent, stored?: AppliedAgent) => ({
    ...applied,
    warnings: listWarnings(applied, store.list(tenant), stored),
  });
  const listNames = (tenant: string) => store.list(tenant).map((one) => one.agent.name);
  const get = async (tenant: string, agent: string): Promise<AppliedAgent> => {
    const applied = await store.get(tenant, agent);
    if (applied) return applied;
    throw createUnknownAgentError(agent, listNames(tenant));
  };
  return {
    async apply(
      { definition, dryRun }: ApiRequest<'agents-apply'>,
      { tenant }: Tenant,
    ): Promise<ApiAnswer<'agents-apply'>> {
      const applied = await resolve(definition);
      // Reads from the bucket: this process may know an agent that was stored before the bucket was wiped.
      const there = await store.getAtLeast(tenant, applied.agent.name, Infinity);
      const unchanged = there && isSameAgent(there, applied);
      const warnings = listWarnings(applied, store.list(tenant), there);
      if (dryRun || unchanged) return { applied: unchanged ? there : applied, changed: !unchanged, warnings };
      return { applied: await store.put(tenant, applied), changed: true, warnings };
    },
    async list({ limit, after }: ApiRequest<'agents-list'>, { tenant }: Tenant): Promise<ApiAnswer<'agents-list'>> {
      return makeAgentsPage(store.list(tenant), limit, after);
    },
    async delete({ agent }: ApiRequest<'agents-delete'>, { tenant }: Tenant): Promise<ApiAnswer<'agents-delete'>> {
      const deleted = await store.delete(tenant, agent);
      if (!deleted) throw createUnknownAgentError(agent, listNames(tenant));
      return { agent, revision: deleted.revision };
    },
    get: async ({ agent }: ApiRequest<'agents-get'>, { tenant }: Tenant) => get(tenant, agent),
    async plan({ agent, definition }: ApiRequest<'agents-plan'>, { tenant }: Tenant) {
      if (definition !== undefined) {
        const applied = await resolve(definition);
        return addWarnings(tenant, applied, await store.get(tenant, applied.agent.name));
      }
      if (agent !== undefined) return addWarnings(tenant, await get(tenant, agent));
      throw new MillraceError('message-invalid', 'agents-plan takes an agent or a definition.');
    },
  };
}

/** Reports the models whose provider this orchestrator does not have. */
export function listUnknownModels({ model }: Agent, { identifyRoute }: Pick<Models, 'identifyRoute'>): Issue[] {
  return listCandidates(model).flatMap(({ use }, at): Issue[] => {
    try {
      identifyRoute(use);
      return [];
    } catch (error) {
      const { message, remedy } = toWireError(error);
      return [{ code: 'agent-invalid', message, path: Array.isArray(model) ? `model[${at}]` : 'model', remedy }];
    }
  });
}

/** @throws queue-full, timeout */
async function findSchemaProblem({ structuredOutput }: Agent, schemas: SchemaChecker): Promise<Issue | undefined> {
  const problem = structuredOutput && (await schemas.check(structuredOutput.schema));
  if (problem === undefined) return undefined;
  const remedy = 'Correct it: a JSON Schema of the dialect 2020-12.';
  return {
    code: 'agent-invalid',
    path: 'structuredOutput.schema',
    message: `The schema is not valid: ${problem}.`,
    remedy,
  };
}

function isSameAgent(one: AppliedAgent, other: AppliedAgent): boolean {
  const write = ({ agent, plan, storedRelease }: AppliedAgent) => JSON.stringify([agent, plan, storedRelease]);
  return write(one) === write(other);
}

/** Size of one answer, as JSON: half of a message, and at least one agent. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** @param agents by name */
function makeAgentsPage(agents: readonly AppliedAgent[], limit: number, after = ''): ApiAnswer<'agents-list'> {
  const asked = agents.filter(({ agent }) => agent.name > after);
  let bytes = 0;
  const over = asked.findIndex((one) => (bytes += Buffer.byteLength(JSON.stringify(one))) > MAX_PAGE_BYTES);
  const page = asked.slice(0, Math.min(limit, over < 0 ? asked.length : Math.max(over, 1)));
  const last = page.at(-1);
  return { agents: page, ...(last && page.length < asked.length && { next: last.agent.name }) };
}

/** Maximum number of issues in a refusal. */
const MAX_ISSUES = 100;
const MAX_ISSUES_IN_MESSAGE = 10;

function createRefusedAgentError(issues: readonly Issue[]): MillraceError {
  const lines = issues
    .slice(0, MAX_ISSUES_IN_MESSAGE)
    .map(({ path, message }) => `${path ? `${path}: ` : ''}${message}`);
  const rest = issues.length - lines.length;
  const text = `The agent is refused. ${lines.join(' ')}${rest > 0 ? ` And ${rest} more.` : ''}`;
  return new MillraceError('agent-invalid', text, { issues: issues.slice(0, MAX_ISSUES) });
}

function createAgentTooLargeError(bytes: number): MillraceError {
  return new MillraceError('agent-invalid', `The agent has ${bytes} bytes; the maximum is ${AGENT_LIMITS.maxBytes}.`, {
    remedy: 'Move long texts into a processor of your own, and list that.',
  });
}

/** Maximum number of names in a refusal. */
const MAX_NAMES = 40;

export function createUnknownAgentError(agent: string, names: readonly string[]): MillraceError {
  const rest = names.length - MAX_NAMES;
  const listed = `${names.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` (and ${rest} more)` : ''}`;
  return new MillraceError('agent-unknown', `There is no agent "${agent}".`, {
    path: 'agent',
    remedy: names.length > 0 ? `Choose one of ${listed}, or apply it.` : 'Apply it: millrace agents apply FILE.',
  });
}
