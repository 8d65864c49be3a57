// The final order of a list: entries in declared order, those with `after` or `before` at the place that they name. Pure.
import type { Issue, ListName } from '@millrace/contracts';
import { DEFAULT_ORDER, MEMORY_PROCESSORS } from './default-order.ts';
import { createTargetIndex, membersOf, type Placed, type TargetIndex } from './entry-targets.ts';

export type { Placed } from './entry-targets.ts';

type Order<E> = { ordered: E[]; issues: Issue[] };

/** Each entry after all that its `after` names and before all that its `before` names, or issues that say why not. */
export function orderEntries<E extends Placed>(list: ListName, entries: readonly E[]): Order<E> {
  const index = createTargetIndex(entries);
  const issues = entries.flatMap((entry) => unknownTargets(list, index, entry));
  if (issues.length > 0) return { ordered: [...entries], issues };
  const ordered = entries.filter((entry) => targets(entry).length === 0);
  const placed = new Set<Placed>(ordered);
  let waiting = entries.filter((entry) => !placed.has(entry));
  const waitsFor = new Map(waiting.map((entry) => [entry, openTargets(index, entry, placed)]));
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) => !waitsFor.get(entry)?.size);
    if (ready.length === 0) return { ordered: [...entries], issues: [cycle(waiting)] };
    for (const entry of ready) {
      const place = placeOf(list, ordered, index, entry);
      if (typeof place !== 'number') return { ordered: [...entries], issues: [place] };
      ordered.splice(place, 0, entry);
    }
    for (const open of waitsFor.values()) for (const entry of ready) open.delete(entry);
    const done = new Set<Placed>(ready);
    waiting = waiting.filter((entry) => !done.has(entry));
  }
  return { ordered, issues: [] };
}

const targets = ({ after, before }: Placed): string[] => [after, before].filter((target) => target !== undefined);

/** What has to stand before the entry can be placed. A shipped processor that is not listed does: its default position counts. */
function openTargets(index: TargetIndex, entry: Placed, placed: ReadonlySet<Placed>): Set<Placed> {
  return new Set(
    targets(entry)
      .flatMap((target) => index.named(entry, target))
      .filter((named) => !placed.has(named)),
  );
}

function unknownTargets(list: ListName, index: TargetIndex, entry: Placed): Issue[] {
  return (['after', 'before'] as const).flatMap((side) => {
    const target = entry[side];
    if (target === undefined || index.named(entry, target).length > 0) return [];
    if (target !== entry.name && isShipped(list, target)) return [];
    const message = `"${entry.name}" is to stand ${side} "${target}", which the ${list} list does not have.`;
    const remedy = 'Name another entry of the list, or a shipped processor.';
    return [{ code: 'entry-target-unknown' as const, message, path: `${entry.path}.${side}`, remedy }];
  });
}

const isShipped = (list: ListName, target: string): boolean =>
  DEFAULT_ORDER[list].includes(target) || (target === 'memory' && list !== 'error');

function placeOf(list: ListName, ordered: readonly Placed[], index: TargetIndex, entry: Placed): number | Issue {
  const { after, before } = entry;
  const placesOf = (target: string): number[] => {
    const named = new Set(index.named(entry, target));
    return ordered.flatMap((other, at) => (named.has(other) ? [at] : []));
  };
  const last = after === undefined ? -1 : placesOf(after).at(-1);
  const first = before === undefined ? ordered.length : placesOf(before)[0];
  const low = last === undefined ? defaultPlace(list, ordered, after) : last + 1;
  const high = first ?? defaultPlace(list, ordered, before);
  if (low > high) {
    const message = `"${entry.name}" cannot stand both after "${after}" and before "${before}".`;
    return { code: 'entry-cycle', message, path: entry.path, remedy: 'Remove one of the two.' };
  }
  if (after === undefined) return high;
  // Entries that stand after the same one keep their declared order.
  const place = ordered.findIndex((other, at) => at >= low && (at >= high || other.after !== after));
  return place < 0 ? high : place;
}

/** Before the first listed entry that stands after the target by default. */
function defaultPlace(list: ListName, ordered: readonly Placed[], target = ''): number {
  const order = DEFAULT_ORDER[list];
  const rank = target === 'memory' ? order.indexOf(MEMORY_PROCESSORS[0] ?? '') : order.indexOf(target);
  const at = ordered.findIndex((other) => membersOf(other).some(({ processor }) => order.indexOf(processor) > rank));
  return at >= 0 ? at : ordered.length;
}

/** How many of them a refusal names. */
const MAX_NAMED = 20;

function cycle(waiting: readonly Placed[]): Issue {
  const names = waiting.slice(0, MAX_NAMED).map((entry) => `"${entry.name}"`);
  const rest = waiting.length - names.length;
  return {
    code: 'entry-cycle',
    message: `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} wait for each other by after/before.`,
    path: waiting[0]?.path ?? '',
    remedy: 'Remove one of the after/before.',
  };
}
