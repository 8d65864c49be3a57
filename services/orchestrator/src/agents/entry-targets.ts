// What a name in `after` or `before` means among the entries of one list. Looked up, not searched for: a list may be long. Pure.
import { MEMORY_PROCESSORS } from './default-order.ts';

export type Placed = {
  name: string;
  processor: string;
  path: string;
  after?: string | undefined;
  before?: string | undefined;
  /** Of a parallel group, which has one place: who names a member names the group. */
  members?: readonly Placed[] | undefined;
};

export const membersOf = (placed: Placed): readonly Placed[] => placed.members ?? [placed];

export type TargetIndex = {
  /** What a target names, but for the entry that says it: the entry of that name; else all entries of that processor. */
  named(self: Placed, target: string): readonly Placed[];
};

export function createTargetIndex(entries: readonly Placed[]): TargetIndex {
  const each = entries.flatMap((place) => membersOf(place).map(({ name, processor }) => ({ place, name, processor })));
  const byName = placesBy(each, ({ name }) => name);
  const byProcessor = placesBy(each, ({ processor }) => processor);
  const memory = placesBy(each, ({ processor }) => (MEMORY_PROCESSORS.includes(processor) ? 'memory' : '')).get(
    'memory',
  );
  const others = (found: readonly Placed[] | undefined, self: Placed) => found?.filter((place) => place !== self) ?? [];
  return {
    named(self, target) {
      const named = others(byName.get(target), self);
      if (named.length > 0) return named;
      const ofProcessor = others(byProcessor.get(target), self);
      return target === 'memory' && ofProcessor.length === 0 ? others(memory, self) : ofProcessor;
    },
  };
}

type Member = { place: Placed; name: string; processor: string };

function placesBy(members: readonly Member[], keyOf: (member: Member) => string): Map<string, Placed[]> {
  const groups = Map.groupBy(members, keyOf);
  return new Map([...groups].map(([key, found]) => [key, [...new Set(found.map(({ place }) => place))]]));
}
