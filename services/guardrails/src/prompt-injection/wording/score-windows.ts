// How much each window of a text reads like an attempt. Windows of three lengths go over the text, so that what stands before and behind an attempt
// does not thin it out, and a long text does not come to anything by its length.
import { ngramsAt, plainUnits } from './n-grams.ts';
import type { WordingWeights } from './wording-weights.ts';

/** Characters as n-grams count them. */
const WINDOWS = [96, 192] as const;
const STEPS_IN_WINDOW = 4;

/** `start`, `end`: in the text; `logit`: over 0 is more like an attempt than not. */
export type ScoredWindow = { start: number; end: number; logit: number };

/** @param use called for every window over `least`, shorter ones first, each length from left to right */
export function scoreWindows(
  text: string,
  { bias, weights }: WordingWeights,
  least: number,
  use: (window: ScoredWindow) => void,
): void {
  const plain = plainUnits(text);
  const { places, length } = plain;
  const sums = new Float64Array(length + 1);
  const counts = new Uint32Array(length + 1);
  let [sum, count] = [0, 0];
  const add = (ngram: number): void => {
    sum += weights[ngram] ?? 0;
    count += 1;
  };
  for (let at = 0; at < length; at++) {
    ngramsAt(plain, at, add);
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
