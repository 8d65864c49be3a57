// Turns windows with the wording of attacks into signals, by a linear model (training/) that is independent of the
// rules.
import type { TextSpan } from '../../../text/span.ts';
import type { Signal } from '../signals.ts';
import { scoreWindows, type ScoredWindow } from './score-windows.ts';
import { readWordingWeights } from './wording-weights.ts';

/** Rule of a window: its place is too vague to cut. */
export const WORDING_RULE = 'wording';

type Band = { least: number; weight: number };
/**
 * Weights by logit; the first band that a window reaches counts. Chosen by the false positives of documentation and
 * code.
 */
const BANDS: Record<'user' | 'tool', readonly Band[]> = {
  user: [
    { least: 3, weight: 0.72 },
    { least: 2.1, weight: 0.6 },
    { least: 1.1, weight: 0.5 },
    { least: 0.2, weight: 0.25 },
  ],
  tool: [
    { least: 4.3, weight: 0.72 },
    { least: 3.8, weight: 0.6 },
    { least: 2.4, weight: 0.5 },
    { least: 0.8, weight: 0.3 },
  ],
};

const weights = readWordingWeights();

/** Merges overlapping windows into one signal with the highest weight. */
export function findWording(text: string, from: 'user' | 'tool'): Signal[] {
  const bands = BANDS[from];
  const least = Math.min(...bands.map((band) => band.least));
  const found: ScoredWindow[] = [];
  scoreWindows(text, weights[from], least, (window) => {
    const logit = Math.min(window.logit, removeRepeats(text.slice(window.start, window.end), from, window.logit));
    if (logit >= least) found.push({ ...window, logit });
  });
  const kept: ScoredWindow[] = [];
  for (const window of found.toSorted((a, b) => a.start - b.start || b.logit - a.logit)) {
    const last = kept.at(-1);
    if (!last || !areOverlapping(last, window)) kept.push(window);
    else if (window.logit > last.logit) kept[kept.length - 1] = window;
  }
  return kept.flatMap(({ start, end, logit }) => {
    const band = bands.find((one) => logit >= one.least);
    return band ? [{ rule: WORDING_RULE, aim: 'any' as const, weight: band.weight, start, end }] : [];
  });
}

/** Returns the weight of repeated words counted once, because their repetition is the evidence of a flood. */
function removeRepeats(text: string, from: 'user' | 'tool', otherwise: number): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const once = new Set(words);
  if (once.size * REPEATED > words.length) return otherwise;
  let most = -Infinity;
  scoreWindows([...once].join(' '), weights[from], -Infinity, ({ logit }) => (most = Math.max(most, logit)));
  return most;
}
const REPEATED = 1.25;

/** Returns whether decoded text consists of words, because noise resembles anything. */
export function isProse(text: string): boolean {
  const words = text.match(/(?<![^\s("'])[\p{L}']{1,14}(?![^\s.,;:!?)"'])/gu) ?? [];
  return words.reduce((sum, word) => sum + word.length + 1, 0) >= text.length * PROSE;
}
const PROSE = 0.7;

const areOverlapping = (one: TextSpan, other: TextSpan): boolean => one.start < other.end && other.start < one.end;
