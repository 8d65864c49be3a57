// What a name in `after` or `before` means among the entries of one list. Looked up, not searched for: a list may be long. Pure.
import { MEMORY_PROCESSORS } from './default-order.ts';

export type Placed = {
  name: string;
  processor: string;
  path: string;
  after?: string | undefined;
  before?: string | undefined;
};

export type TargetIndex = {
  /** What a target names, but for the entry that says it: the entry of that name; else all entries of that processor. */
  named(self: Placed, target: string): readonly Placed[];
};

export function createTargetIndex(entries: readonly Placed[]): TargetIndex {
  const byName = Map.groupBy(entries, ({ name }) => name);
  const byProcessor = Map.groupBy(entries, ({ processor }) => processor);
  const memory = entries.filter(({ processor }) => MEMORY_PROCESSORS.includes(processor));
  const others = (found: readonly Placed[] | undefined, self: Placed) => found?.filter((entry) => entry !== self) ?? [];
  return {
    named(self, target) {
      const named = others(byName.get(target), self);
      if (named.length > 0) return named;
      const ofProcessor = others(byProcessor.get(target), self);
      return target === 'memory' && ofProcessor.length === 0 ? others(memory, self) : ofProcessor;
    },
  };
}
