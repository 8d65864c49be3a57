// Who judges what a model is asked and answers, for the key of a cache: an answer that other guards, or the same with other options,
// have let through is another answer (docs/semantics.md).
import { createHash } from 'node:crypto';
import type { GuardVersion, Plan, PlanEntry } from '@millrace/contracts';

/** A plan is a run's, and asked of in each step. */
const known = new WeakMap<Plan, GuardVersion[]>();

/** All entries but memory, in no order that counts. */
export function guardsOf(plan: Plan): GuardVersion[] {
  const found = known.get(plan);
  if (found) return found;
  const made = (plan.order.processLLMRequest ?? []).length === 0 ? [] : versionsOf(plan);
  known.set(plan, made);
  return made;
}

function versionsOf({ entries }: Plan): GuardVersion[] {
  return Object.values(entries)
    .filter(({ memory }) => !memory)
    .toSorted((one, other) => (one.entry < other.entry ? -1 : 1))
    .map(versionOf);
}

function versionOf({ entry, processor, version, options }: PlanEntry): GuardVersion {
  const hash = createHash('sha256')
    .update(JSON.stringify(sorted(options)))
    .digest('hex');
  return { entry, processor, version, options: hash.slice(0, HASH_CHARS) };
}

const HASH_CHARS = 16;

/** The same options written in another order are the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
