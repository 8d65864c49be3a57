// Lists the guards that judge a model's request and answer, for the key of a cache: an answer that other guards, or
// other options, have passed is another answer (docs/semantics.md).
import { createHash } from 'node:crypto';
import type { GuardVersion, Plan, PlanEntry } from '@millrace/contracts';

/** Cached by plan: a run asks for it in each step. */
const known = new WeakMap<Plan, GuardVersion[]>();

/** Returns all entries except memory, in a fixed order. */
export function listGuards(plan: Plan): GuardVersion[] {
  const found = known.get(plan);
  if (found) return found;
  const made = (plan.order.processLLMRequest ?? []).length === 0 ? [] : listVersions(plan);
  known.set(plan, made);
  return made;
}

function listVersions({ entries }: Plan): GuardVersion[] {
  return Object.values(entries)
    .filter(({ memory }) => !memory)
    .toSorted((one, other) => (one.entry < other.entry ? -1 : 1))
    .map(describeVersion);
}

function describeVersion({ entry, processor, version, options }: PlanEntry): GuardVersion {
  const hash = createHash('sha256')
    .update(JSON.stringify(sortMembers(options)))
    .digest('hex');
  return { entry, processor, version, options: hash.slice(0, HASH_CHARS) };
}

const HASH_CHARS = 16;

/** Sorts members, so that equal options in another order have the same hash. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sortMembers(member)]));
}
