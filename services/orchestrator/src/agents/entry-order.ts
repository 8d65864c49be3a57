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

export function orderEntries<E extends Placed>(
  list: ListName,
  entries: readonly E[],
): { ordered: E[]; issues: Issue[] } {
  const issues = entries.flatMap((entry) => unknownTargets(list, entries, entry));
  if (issues.length > 0) return { ordered: [...entries], issues };
  const ordered = entries.filter((entry) => entry.after === undefined && entry.before === undefined);
  let waiting = entries.filter((entry) => !ordered.includes(entry));
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) => targets(entry).every((target) => isPlaced(list, ordered, entries, target)));
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
const isNamed = (entry: Placed, target: string) =>
  entry.name === target ||
  entry.processor === target ||
  (target === 'memory' && MEMORY_PROCESSORS.includes(entry.processor));

function unknownTargets(list: ListName, entries: readonly Placed[], entry: Placed): Issue[] {
  return (['after', 'before'] as const).flatMap((side) => {
    const target = entry[side];
    if (target === undefined || entries.some((other) => other !== entry && isNamed(other, target))) return [];
    if (target !== entry.name && isShipped(list, target)) return [];
    const message = `"${entry.name}" is to stand ${side} "${target}", which the ${list} list does not have.`;
    const remedy = 'Name an entry of the list, or a shipped processor.';
    return [{ code: 'entry-target-unknown' as const, message, path: `${entry.path}.${side}`, remedy }];
  });
}

const isShipped = (list: ListName, target: string) => target === 'memory' || DEFAULT_ORDER[list].includes(target);

/** A shipped processor that is not listed is placed already: its default position counts. */
function isPlaced(_list: ListName, ordered: readonly Placed[], all: readonly Placed[], target: string): boolean {
  return ordered.some((other) => isNamed(other, target)) || !all.some((other) => isNamed(other, target));
}

function placeOf(list: ListName, ordered: readonly Placed[], entry: Placed): number | Issue {
  const { after, before } = entry;
  const low = after === undefined ? 0 : behind(list, ordered, after);
  const high = before === undefined ? ordered.length : inFront(list, ordered, before);
  if (low <= high) return after === undefined ? high : low;
  const message = `"${entry.name}" cannot stand both after "${after}" and before "${before}".`;
  return { code: 'entry-cycle', message, path: entry.path, remedy: 'Remove one of the two.' };
}

function behind(list: ListName, ordered: readonly Placed[], target: string): number {
  const at = ordered.findLastIndex((other) => isNamed(other, target));
  return at >= 0 ? at + 1 : defaultPlace(list, ordered, target);
}

function inFront(list: ListName, ordered: readonly Placed[], target: string): number {
  const at = ordered.findIndex((other) => isNamed(other, target));
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
