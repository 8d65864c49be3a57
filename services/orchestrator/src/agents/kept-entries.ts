// Warns about entries that stay under overrides since the agent is applied again: plans of earlier versions keep the
// entries with `required` only. Pure.
import { isKeptByOverrides, getOwnMember, type Issue, type Plan } from '@millrace/contracts';

/** Warns that a definition which is applied again keeps entries that overrides of its stored version replace. */
export function warnOfKeptEntries(stored: Plan, plan: Plan): Issue[] {
  if (!stored.overridable || !plan.overridable) return [];
  const kept = Object.values(plan.entries).filter((entry) => {
    const before = getOwnMember(stored.entries, entry.entry);
    return before && !isKeptByOverrides(before) && isKeptByOverrides(entry);
  });
  if (kept.length === 0) return [];
  const names = kept.map(({ entry }) => entry).join(', ');
  const message = `A caller's list replaces these entries of the stored agent; those of this one stay: ${names}.`;
  const remedy = 'To let callers replace an entry, list it as {use: NAME, replaceable: true}.';
  return [{ code: 'entries-kept', message, remedy }];
}
