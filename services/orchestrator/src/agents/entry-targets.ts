// Resolves the names in `after` and `before` among the entries of one list, by lookup instead of a search, because a
// list may be long. Pure.

export type PlacedEntry = {
  name: string;
  processor: string;
  path: string;
  /** The target `memory` refers to it. */
  isMemory?: boolean;
  after?: string | undefined;
  before?: string | undefined;
  /** Members of a parallel group, which has one position: the name of a member refers to the group. */
  members?: readonly PlacedEntry[] | undefined;
};

export const listMembers = (placed: PlacedEntry): readonly PlacedEntry[] => placed.members ?? [placed];

export type TargetIndex = {
  /**
   * Returns the entries that a target names, except the entry itself: the entry with that name, otherwise all entries
   * of that processor.
   */
  findNamed(self: PlacedEntry, target: string): readonly PlacedEntry[];
};

export function createTargetIndex(entries: readonly PlacedEntry[]): TargetIndex {
  const each = entries.flatMap((place) =>
    listMembers(place).map(({ name, processor, isMemory }) => ({ place, name, processor, isMemory })),
  );
  const byName = groupPlaces(each, ({ name }) => name);
  const byProcessor = groupPlaces(each, ({ processor }) => processor);
  const memory = groupPlaces(each, ({ isMemory }) => (isMemory ? 'memory' : '')).get('memory');
  const omitSelf = (found: readonly PlacedEntry[] | undefined, self: PlacedEntry) =>
    found?.filter((place) => place !== self) ?? [];
  return {
    findNamed(self, target) {
      const named = omitSelf(byName.get(target), self);
      if (named.length > 0) return named;
      const ofProcessor = omitSelf(byProcessor.get(target), self);
      return target === 'memory' && ofProcessor.length === 0 ? omitSelf(memory, self) : ofProcessor;
    },
  };
}

type GroupMember = { place: PlacedEntry; name: string; processor: string; isMemory: boolean | undefined };

function groupPlaces(
  members: readonly GroupMember[],
  readKey: (member: GroupMember) => string,
): Map<string, PlacedEntry[]> {
  const groups = Map.groupBy(members, readKey);
  return new Map([...groups].map(([key, found]) => [key, [...new Set(found.map(({ place }) => place))]]));
}
