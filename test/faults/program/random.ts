// Random numbers that a seed repeats, so that a fault can be reproduced.
export type SeededRandom = {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [from, to]. */
  pickBetween(from: number, to: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
};

/** mulberry32: 32 bits of state suffice for times and texts. */
export function createRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pickBetween = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return { next, pickBetween, pick: (from) => from[pickBetween(0, from.length - 1)] ?? from[0] };
}

/** Hashes several numbers to one; each changes all of it. */
export function hashSeed(...parts: (number | string)[]): number {
  let hash = 2_166_136_261;
  for (const character of parts.join(' ')) hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619);
  return hash >>> 0;
}
