// Computes the final order of a list: entries in declared order, those with `after` or `before` at the named position.
// Pure.
import { type Issue, type ListName, MEMORY_POSITION, type ProcessorDescriptor } from '@millrace/contracts';
import { createTargetIndex, listMembers, type PlacedEntry, type TargetIndex } from './entry-targets.ts';

export type { PlacedEntry } from './entry-targets.ts';

type Order<E> = { ordered: E[]; issues: Issue[] };

/**
 * Orders each entry after all that its `after` names and before all that its `before` names, or returns issues with the
 * reasons.
 */
export function orderEntries<E extends PlacedEntry>(
  list: ListName,
  entries: readonly E[],
  positions: DefaultPositions,
): Order<E> {
  const index = createTargetIndex(entries);
  const issues = entries.flatMap((entry) => findUnknownTargets(list, index, entry, positions));
  if (issues.length > 0) return { ordered: [...entries], issues };
  const ordered = entries.filter((entry) => listTargets(entry).length === 0);
  const placed = new Set<PlacedEntry>(ordered);
  let waiting = entries.filter((entry) => !placed.has(entry));
  const waitsFor = new Map(waiting.map((entry) => [entry, openTargets(index, entry, placed)]));
  while (waiting.length > 0) {
    const ready = waiting.filter((entry) => !waitsFor.get(entry)?.size);
    if (ready.length === 0) return { ordered: [...entries], issues: [createCycleIssue(waiting)] };
    for (const entry of ready) {
      const place = findPlace(ordered, index, entry, positions);
      if (typeof place !== 'number') return { ordered: [...entries], issues: [place] };
      ordered.splice(place, 0, entry);
    }
    for (const open of waitsFor.values()) for (const entry of ready) open.delete(entry);
    const done = new Set<PlacedEntry>(ready);
    waiting = waiting.filter((entry) => !done.has(entry));
  }
  return { ordered, issues: [] };
}

const listTargets = ({ after, before }: PlacedEntry): string[] =>
  [after, before].filter((target) => target !== undefined);

/** The targets that have to be placed before the entry. A target outside of the list is none: its default position counts. */
function openTargets(index: TargetIndex, entry: PlacedEntry, placed: ReadonlySet<PlacedEntry>): Set<PlacedEntry> {
  return new Set(
    listTargets(entry)
      .flatMap((target) => index.findNamed(entry, target))
      .filter((named) => !placed.has(named)),
  );
}

function findUnknownTargets(
  list: ListName,
  index: TargetIndex,
  entry: PlacedEntry,
  positions: DefaultPositions,
): Issue[] {
  return (['after', 'before'] as const).flatMap((side) => {
    const target = entry[side];
    if (target === undefined || index.findNamed(entry, target).length > 0) return [];
    if (target !== entry.name && positions.has(target)) return [];
    const message = `"${entry.name}" has to be ${side} "${target}", which is not in the ${list} list.`;
    const remedy = 'Name another entry of the list, or a running processor that advertises a position in it.';
    return [{ code: 'entry-target-unknown' as const, message, path: `${entry.path}.${side}`, remedy }];
  });
}

function findPlace(
  ordered: readonly PlacedEntry[],
  index: TargetIndex,
  entry: PlacedEntry,
  positions: DefaultPositions,
): number | Issue {
  const { after, before } = entry;
  const findPlaces = (target: string): number[] => {
    const named = new Set(index.findNamed(entry, target));
    return ordered.flatMap((other, at) => (named.has(other) ? [at] : []));
  };
  const last = after === undefined ? -1 : findPlaces(after).at(-1);
  const first = before === undefined ? ordered.length : findPlaces(before)[0];
  const low = last === undefined ? findDefaultPlace(ordered, positions, after) : last + 1;
  const high = first ?? findDefaultPlace(ordered, positions, before);
  if (low > high) {
    const message = `"${entry.name}" cannot be both after "${after}" and before "${before}".`;
    return { code: 'entry-cycle', message, path: entry.path, remedy: 'Remove one of the two.' };
  }
  if (after === undefined) return high;
  // Entries after the same one keep their declared order.
  const place = ordered.findIndex((other, at) => at >= low && (at >= high || other.after !== after));
  return place < 0 ? high : place;
}

/** Before the first listed entry with a higher default position than the target. */
function findDefaultPlace(ordered: readonly PlacedEntry[], positions: DefaultPositions, target = ''): number {
  const position = positions.get(target) ?? 0;
  const isLater = ({ processor }: PlacedEntry) => (positions.get(processor) ?? 0) > position;
  const at = ordered.findIndex((other) => listMembers(other).some(isLater));
  return at >= 0 ? at : ordered.length;
}

/** Maximum number of names in a refusal. */
const MAX_NAMED = 20;

function createCycleIssue(waiting: readonly PlacedEntry[]): Issue {
  const names = waiting.slice(0, MAX_NAMED).map((entry) => `"${entry.name}"`);
  const rest = waiting.length - names.length;
  return {
    code: 'entry-cycle',
    message: `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''} wait for each other by after/before.`,
    path: waiting[0]?.path ?? '',
    remedy: 'Remove one of the after/before.',
  };
}

/** Positions by processor id, and that of the word `memory`. */
type DefaultPositions = ReadonlyMap<string, number>;

type PositionedDescriptor = { readonly descriptor: Pick<ProcessorDescriptor, 'id' | 'positions'> };

/**
 * Collects the positions that running processors advertise: the place of an entry with `after: pii` in a list without
 * pii (docs/semantics.md, section 2). The error list has none.
 */
export function collectPositions(list: ListName, advertised: Iterable<PositionedDescriptor>): DefaultPositions {
  const positions = new Map<string, number>();
  if (list === 'error') return positions;
  for (const { descriptor } of advertised) {
    const position = descriptor.positions?.[list];
    if (position !== undefined) positions.set(descriptor.id, position);
  }
  return positions.set('memory', MEMORY_POSITION);
}
