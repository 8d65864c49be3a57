// The agent as one run has it: with the caller's lists in place of its own, where it allows that; without the entries under `when` whose
// context the run does not have. Once, when the run begins: what is stored with the run is this agent, and whoever takes the run over
// follows it. The definition stays its author's: its texts are trusted, a caller's are not. Pure.
import {
  planWith,
  type AppliedAgent,
  type Issue,
  type JsonValue,
  type Plan,
  type PlanEntry,
  type RunRequest,
} from '@millrace/contracts';
import { maxRetriesOf } from './max-retries.ts';
import { overridePlan } from './override-plan.ts';

/** `leftOut`: names of the entries that are not called in this run, for its context. */
export type RunAgent = { applied: AppliedAgent; leftOut: string[] };

export function agentOfRun(applied: AppliedAgent, request: RunRequest): RunAgent | { issues: Issue[] } {
  const overridden = overridePlan(applied, request);
  if ('issues' in overridden) return overridden;
  const { overridable: _, ...plan } = overridden.plan;
  const entries = Object.values(plan.entries);
  const leftOut = entries.filter((entry) => !isMeant(entry, request)).map(({ entry }) => entry);
  const own = leftOut.length === 0 ? plan : planWith(plan, ({ entry }) => !leftOut.includes(entry));
  return { applied: { ...applied, agent: withRetries(applied, own, request), plan: own }, leftOut };
}

function withRetries({ agent }: AppliedAgent, plan: Plan, { maxProcessorRetries }: RunRequest): AppliedAgent['agent'] {
  if (maxProcessorRetries === undefined) return agent;
  return { ...agent, maxProcessorRetries: Math.min(maxProcessorRetries, maxRetriesOf(agent, plan)) };
}

const isMeant = ({ when }: PlanEntry, request: RunRequest): boolean =>
  when === undefined || contextValue(request, when.context) === when.equals;

/** As processors see it in requestContext: what a caller says of tenant, run, thread and resource there does not count. */
function contextValue(request: RunRequest, key: string): JsonValue | undefined {
  const { tenant, runId, threadId, resourceId, requestContext } = request;
  const own = { tenant, runId, threadId, resourceId };
  for (const values of [own, requestContext]) {
    const found = Object.entries(values).find(([name]) => name === key);
    if (found) return found[1];
  }
  return undefined;
}
