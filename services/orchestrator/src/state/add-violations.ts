// Adds violations to those of a run within a bound. Pure. The sum of the counts stays exact.
import type { Violation } from '@millrace/contracts';

/** Maximum number of violations that a run holds; one more for each entry counts those without a kept rule. */
export const MAX_RUN_VIOLATIONS = 1_000;

export function addViolations(before: readonly Violation[], found: readonly Violation[]): Violation[] {
  const room = Math.max(MAX_RUN_VIOLATIONS - before.length, 0);
  return found.slice(room).reduce(countViolation, [...before, ...found.slice(0, room)]);
}

/** Counts the violation with one of the same entry and rule, otherwise with the further ones of its entry. */
function countViolation(kept: Violation[], { processorId, rule, count = 1 }: Violation): Violation[] {
  const find = (wanted: string | undefined) =>
    kept.findIndex((one) => one.processorId === processorId && one.rule === wanted);
  const at = [find(rule), find(undefined)].find((index) => index >= 0);
  const same = at === undefined ? undefined : kept[at];
  if (at === undefined || !same) return [...kept, { processorId, message: 'More violations were found.', count }];
  return kept.with(at, { ...same, count: (same.count ?? 1) + count });
}
