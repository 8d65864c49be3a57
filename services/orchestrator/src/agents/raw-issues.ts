// Raw data is the answer once more, in a form that no processor of the output knows: an agent that has any gives none. Pure.
import type { Agent, Issue, Plan } from '@millrace/contracts';

export function rawIssues({ raw }: Agent, plan: Plan): Issue[] {
  if (raw !== true) return [];
  const listed = Object.values(plan.entries).filter(({ lists, memory }) => lists.includes('output') && !memory);
  const callers = Object.values(plan.overridable ?? {}).filter(({ lists }) => lists.includes('output'));
  const names = [...new Set([...listed, ...callers].map(({ entry }) => entry))];
  if (names.length === 0) return [];
  const message = `raw shows what the provider sent past ${names.join(', ')}: none of them can judge it.`;
  const remedy = 'Leave raw out, or take them out of output and overrides.';
  return [{ code: 'agent-invalid', message, path: 'raw', remedy }];
}
