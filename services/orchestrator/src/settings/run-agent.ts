// Derives the agent of one run: with the caller's lists and settings if the agent allows them, without entries whose `when` the
// run's context does not match. Computed once, when the run begins, and stored with the run, so that a takeover follows
// it. The definition stays unchanged: its texts are trusted, a caller's are not. Pure.
import {
  planWith,
  type AppliedAgent,
  type Issue,
  type JsonValue,
  type Plan,
  type PlanEntry,
  type RunRequest,
  type StoredRequest,
  listJudges,
  type Agent,
} from '@millrace/contracts';
import { findFileIssues } from './allowed-files.ts';
import { applyCallerSettings } from './caller-settings.ts';
import { addClientTools } from './client-tools.ts';
import { overridePlan } from './override-plan.ts';

/** `leftOut`: names of the entries that this run omits because of its context. */
export type RunAgent = { applied: AppliedAgent; leftOut: string[] };

export function resolveRunAgent(applied: AppliedAgent, request: StoredRequest): RunAgent | { issues: Issue[] } {
  const overridden = overridePlan(applied, request);
  if ('issues' in overridden) return overridden;
  const { overridable: _, ...listed } = overridden.plan;
  const added = addClientTools(applied.agent, listed, request);
  if ('issues' in added) return added;
  const { plan } = added;
  const set = applyCallerSettings(applied.agent, plan, request);
  if ('issues' in set) return set;
  const entries = Object.values(plan.entries);
  const leftOut = entries.filter((entry) => !isMeant(entry, request)).map(({ entry }) => entry);
  const own = leftOut.length === 0 ? plan : planWith(plan, ({ entry }) => !leftOut.includes(entry));
  const refused = findFileIssues(own, request.messages);
  if (refused.length > 0) return { issues: refused };
  return { applied: { ...applied, agent: withRetries(set.agent, own, request), plan: own }, leftOut };
}

function withRetries(agent: Agent, plan: Plan, { maxProcessorRetries, opened }: StoredRequest): Agent {
  if (maxProcessorRetries === undefined) return agent;
  if (opened) return { ...agent, maxProcessorRetries };
  return { ...agent, maxProcessorRetries: Math.min(maxProcessorRetries, resolveMaxRetries(agent, plan)) };
}

const isMeant = ({ when }: PlanEntry, request: RunRequest): boolean =>
  when === undefined || readContextValue(request, when.context) === when.equals;

/**
 * Returns the value that processors see in requestContext: the caller's values for tenant, run, thread and resource do
 * not count.
 */
function readContextValue(request: RunRequest, key: string): JsonValue | undefined {
  const { tenant, runId, threadId, resourceId, requestContext } = request;
  const own = { tenant, runId, threadId, resourceId };
  for (const values of [own, requestContext]) {
    const found = Object.entries(values).find(([name]) => name === key);
    if (found) return found[1];
  }
  return undefined;
}

/** Default of an agent that has error processors. Without error processors a retry is an abort. */
const RETRIES_WITH_ERROR_PROCESSORS = 10;

export function resolveMaxRetries({ maxProcessorRetries }: Agent, plan: Plan): number {
  return maxProcessorRetries ?? (listJudges(plan, 'processAPIError').length > 0 ? RETRIES_WITH_ERROR_PROCESSORS : 0);
}
