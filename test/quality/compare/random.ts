// Random numbers with a seed, so that the same texts give the same weights.
export type SeededRandom = {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number;
  shuffle(items: unknown[]): void;
};

/** mulberry32 */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    shuffle(items) {
      for (let at = items.length - 1; at > 0; at--) {
        const other = Math.floor(next() * (at + 1));
        [items[at], items[other]] = [items[other], items[at]];
      }
    },
  };
}
