// Raw data is the answer once more, in a form that no processor of the output knows: an agent that has one which may change
// the answer gives none. Memory and those that observe change nothing of it. Pure.
import type { Agent, Issue, Plan, PlanEntry } from '@millrace/contracts';

export function rawIssues({ raw }: Agent, plan: Plan): Issue[] {
  if (raw !== true) return [];
  const judges = ({ lists, memory, observe }: PlanEntry) => lists.includes('output') && !memory && !observe;
  const listed = Object.values(plan.entries).filter(judges);
  const callers = Object.values(plan.overridable ?? {}).filter(({ lists }) => lists.includes('output'));
  const names = [...new Set([...listed, ...callers].map(({ entry }) => entry))];
  if (names.length === 0) return [];
  const message = `raw shows what the provider sent past ${names.join(', ')}: none of them can judge it.`;
  const remedy = 'Leave raw out, or take them out of output and overrides.';
  return [{ code: 'agent-invalid', message, path: 'raw', remedy }];
}
