// The final order of a list: entries in declared order, those with `after` or `before` at the place that they name. Pure.
import type { Issue, ListName } from '@millrace/contracts';
import { DEFAULT_ORDER, MEMORY_PROCESSORS } from './default-order.ts';

export type Placed = {
  name: string;
  processor: string;
  path: string;
  after?: string | undefined;
  before?: string | undefined;
};

/** Each entry behind all that its `after` names and in front of all that its `before` names, or issues that say why not. */
export function orderEntries<E extends Placed>(
  list: ListName,
  entries: readonly E[],
): { ordered: E[]; issues: Issue[] } {
  const issues = entries.flatMap((entry) => unknownTargets(list, entries, entry));
  if (issues.length > 0) return { ordered: [...entries], issues };
  const ordered = entries.filter((entry) => entry.after === undefined && entry.before === undefined);
  let waiting = entries.filter((entry) => !ordered.includes(entry));
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) =>
      targets(entry).every((target) => isPlaced(ordered, entries, entry, target)),
    );
    if (ready.length === 0) return { ordered: [...entries], issues: [cycle(waiting)] };
    for (const entry of ready) {
      const place = placeOf(list, ordered, entry);
      if (typeof place !== 'number') return { ordered: [...entries], issues: [place] };
      ordered.splice(place, 0, entry);
    }
    waiting = waiting.filter((entry) => !ready.includes(entry));
  }
  return { ordered, issues: [] };
}

const targets = ({ after, before }: Placed): string[] => [after, before].filter((target) => target !== undefined);

/** What a target names, but for the entry that says it: the entry of that name; else all entries of that processor. */
function namedBy(entries: readonly Placed[], self: Placed, target: string): Placed[] {
  const others = entries.filter((entry) => entry !== self);
  const named = others.filter(({ name }) => name === target);
  if (named.length > 0) return named;
  const isMeant = ({ processor }: Placed) =>
    processor === target || (target === 'memory' && MEMORY_PROCESSORS.includes(processor));
  return others.filter(isMeant);
}

function unknownTargets(list: ListName, entries: readonly Placed[], entry: Placed): Issue[] {
  return (['after', 'before'] as const).flatMap((side) => {
    const target = entry[side];
    if (target === undefined || namedBy(entries, entry, target).length > 0) return [];
    if (target !== entry.name && isShipped(list, target)) return [];
    const message = `"${entry.name}" is to stand ${side} "${target}", which the ${list} list does not have.`;
    const remedy = 'Name another entry of the list, or a shipped processor.';
    return [{ code: 'entry-target-unknown' as const, message, path: `${entry.path}.${side}`, remedy }];
  });
}

const isShipped = (list: ListName, target: string): boolean =>
  DEFAULT_ORDER[list].includes(target) || (target === 'memory' && list !== 'error');

/** When all entries that the target names are. A shipped processor that is not listed is: its default position counts. */
function isPlaced(ordered: readonly Placed[], all: readonly Placed[], entry: Placed, target: string): boolean {
  return namedBy(all, entry, target).every((named) => ordered.includes(named));
}

function placeOf(list: ListName, ordered: readonly Placed[], entry: Placed): number | Issue {
  const { after, before } = entry;
  const low = after === undefined ? 0 : behind(list, ordered, entry, after);
  const high = before === undefined ? ordered.length : inFront(list, ordered, entry, before);
  if (low > high) {
    const message = `"${entry.name}" cannot stand both after "${after}" and before "${before}".`;
    return { code: 'entry-cycle', message, path: entry.path, remedy: 'Remove one of the two.' };
  }
  if (after === undefined) return high;
  // Entries that stand after the same one keep their declared order.
  const place = ordered.findIndex((other, at) => at >= low && (at >= high || other.after !== after));
  return place < 0 ? high : place;
}

function behind(list: ListName, ordered: readonly Placed[], entry: Placed, target: string): number {
  const named = namedBy(ordered, entry, target);
  const at = ordered.findLastIndex((other) => named.includes(other));
  return at >= 0 ? at + 1 : defaultPlace(list, ordered, target);
}

function inFront(list: ListName, ordered: readonly Placed[], entry: Placed, target: string): number {
  const named = namedBy(ordered, entry, target);
  const at = ordered.findIndex((other) => named.includes(other));
  return at >= 0 ? at : defaultPlace(list, ordered, target);
}

/** In front of the first listed entry that stands behind the target by default. */
function defaultPlace(list: ListName, ordered: readonly Placed[], target: string): number {
  const order = DEFAULT_ORDER[list];
  const rank = target === 'memory' ? order.indexOf(MEMORY_PROCESSORS[0] ?? '') : order.indexOf(target);
  const at = ordered.findIndex((other) => order.indexOf(other.processor) > rank);
  return at >= 0 ? at : ordered.length;
}

function cycle(waiting: readonly Placed[]): Issue {
  const names = waiting.map((entry) => `"${entry.name}"`).join(', ');
  return {
    code: 'entry-cycle',
    message: `${names} wait for each other by after/before.`,
    path: waiting[0]?.path ?? '',
    remedy: 'Remove one of the after/before.',
  };
}
