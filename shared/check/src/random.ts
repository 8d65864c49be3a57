// Generates random numbers from a seed, so that a cut that failed once can be repeated (mulberry32).
export type Random = {
  seed: number;
  /** Returns an integer from 0 to `below` - 1. */
  drawBelow(drawBelow: number): number;
};

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const drawNext = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, drawBelow: (below) => Math.floor(drawNext() * below) };
}
