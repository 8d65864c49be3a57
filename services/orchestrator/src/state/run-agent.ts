// The agent as one run has it: entries under `when` are left out where the run's context says something else. Once, when the run
// begins: what is stored with the run is this agent, and whoever takes the run over follows it. Pure.
import type { AppliedAgent, JsonValue, Plan, PlanEntry, RunRequest } from '@millrace/contracts';

/** `leftOut`: names of the entries that are not called in this run. */
export type RunAgent = { applied: AppliedAgent; leftOut: string[] };

export function agentOfRun(applied: AppliedAgent, request: RunRequest): RunAgent {
  const entries = Object.values(applied.plan.entries);
  const leftOut = entries.filter((entry) => !isMeant(entry, request)).map(({ entry }) => entry);
  if (leftOut.length === 0) return { applied, leftOut };
  return { applied: { ...applied, plan: withoutEntries(applied.plan, new Set(leftOut)) }, leftOut };
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

function withoutEntries(plan: Plan, names: ReadonlySet<string>): Plan {
  const entries = Object.entries(plan.entries).filter(([name]) => !names.has(name));
  const order = Object.entries(plan.order).map(([stage, all]) => [stage, all.filter((name) => !names.has(name))]);
  return { ...plan, entries: Object.fromEntries(entries), order: Object.fromEntries(order) };
}
