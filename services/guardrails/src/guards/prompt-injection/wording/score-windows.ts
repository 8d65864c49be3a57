// Scores how closely each window of a text resembles an attack. Windows of three lengths cover the text, so that
// surrounding text does not dilute an attack and length alone does not raise the score.
import { hashNgramsAt, toPlainUnits } from './n-grams.ts';
import type { WordingWeights } from './wording-weights.ts';

/** Lengths in n-gram characters. */
const WINDOWS = [96, 192] as const;
const STEPS_IN_WINDOW = 4;

/** `start`, `end`: places in the text. `logit`: above 0 resembles an attack more than ordinary text. */
export type ScoredWindow = { start: number; end: number; logit: number };

/** @param use called for each window above `least`, shorter windows first, each length from left to right */
export function scoreWindows(
  text: string,
  { bias, weights }: WordingWeights,
  least: number,
  use: (window: ScoredWindow) => void,
): void {
  const plain = toPlainUnits(text);
  const { places, length } = plain;
  const sums = new Float64Array(length + 1);
  const counts = new Uint32Array(length + 1);
  let [sum, count] = [0, 0];
  const add = (ngram: number): void => {
    sum += weights[ngram] ?? 0;
    count += 1;
  };
  for (let at = 0; at < length; at++) {
    hashNgramsAt(plain, at, add);
    sums[at + 1] = sum;
    counts[at + 1] = count;
  }
  for (const window of WINDOWS) {
    const step = window / STEPS_IN_WINDOW;
    const last = Math.max(0, length - window);
    for (let at = 0; at < last + step; at += step) {
      const from = Math.min(at, last);
      const to = Math.min(length, from + window);
      const seen = (counts[to] ?? 0) - (counts[from] ?? 0);
      if (seen === 0) continue;
      const logit = bias + ((sums[to] ?? 0) - (sums[from] ?? 0)) / Math.sqrt(seen);
      if (logit >= least)
        use({ start: places[from] ?? 0, end: to === length ? text.length : (places[to] ?? 0), logit });
    }
  }
}
