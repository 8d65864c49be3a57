// Generates random lines by a fixed seed, for measurements of detectors.

/** Returns numbers from 0 up to 1 (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return ((more ^ (more >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type LineMaker = {
  /** From `low` up to and including `high`. */
  pickNumber(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  pickCharacters(alphabet: string, count: number): string;
  /** Replaces each `#` by a digit. */
  fill(shape: string): string;
};

export function createLineMaker(seed: number): LineMaker {
  const random = createRandom(seed);
  const pickNumber = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const pick = <T>(values: readonly T[]): T => {
    const found = values[pickNumber(0, values.length - 1)];
    if (found === undefined) throw new Error('There is no value to pick.');
    return found;
  };
  const pickCharacters = (alphabet: string, count: number) =>
    Array.from({ length: count }, () => alphabet.charAt(pickNumber(0, alphabet.length - 1))).join('');
  return {
    pickNumber,
    pick,
    pickCharacters,
    fill: (shape) => shape.replaceAll('#', () => String(pickNumber(0, 9))),
  };
}

export const DIGITS = '0123456789';
export const HEX = '0123456789abcdef';
export const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const BASE64 = `${LETTERS}${DIGITS}+/`;
