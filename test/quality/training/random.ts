// Random numbers with a seed, so that a training set can be generated again instead of stored.
export type TrainingRandom = {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  pickBelow(limit: number): number;
  pick<T>(items: readonly T[]): T;
};

/** mulberry32 */
export function createRandom(seed: number): TrainingRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    pickBelow: below,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
  };
}
