// The wording of a text as a signal: windows that read like attempts, by a linear model (training/). It knows no rule, and says what stands where.
import type { Span } from '../../text/span.ts';
import type { Signal } from '../signals.ts';
import { scoreWindows, type ScoredWindow } from './score-windows.ts';
import { readWordingWeights } from './wording-weights.ts';

/** Of windows, not of places: there is nothing certain to cut out. */
export const WORDING_RULE = 'wording';

type Band = { least: number; weight: number };
/** How much a window says, by its logit; the first one that it reaches. Chosen by false alarms of documentation and code. */
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

/** Windows that overlap are one signal, the one that says most. */
export function findWording(text: string, from: 'user' | 'tool'): Signal[] {
  const bands = BANDS[from];
  const least = Math.min(...bands.map((band) => band.least));
  const found: ScoredWindow[] = [];
  scoreWindows(text, weights[from], least, (window) => {
    const logit = Math.min(window.logit, saidOnce(text.slice(window.start, window.end), from, window.logit));
    if (logit >= least) found.push({ ...window, logit });
  });
  const kept: ScoredWindow[] = [];
  for (const window of found.toSorted((a, b) => a.start - b.start || b.logit - a.logit)) {
    const last = kept.at(-1);
    if (!last || !overlap(last, window)) kept.push(window);
    else if (window.logit > last.logit) kept[kept.length - 1] = window;
  }
  return kept.flatMap(({ start, end, logit }) => {
    const band = bands.find((one) => logit >= one.least);
    return band ? [{ rule: WORDING_RULE, aim: 'any' as const, weight: band.weight, start, end }] : [];
  });
}

/** What a few words that are said over and over come to when each is said once: the repetition is a flood's, not theirs. */
function saidOnce(text: string, from: 'user' | 'tool', otherwise: number): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const once = new Set(words);
  if (once.size * REPEATED > words.length) return otherwise;
  let most = -Infinity;
  scoreWindows([...once].join(' '), weights[from], -Infinity, ({ logit }) => (most = Math.max(most, logit)));
  return most;
}
const REPEATED = 1.25;

/** Whether what another code says is words at all: noise reads like anything. */
export function isProse(text: string): boolean {
  const words = text.match(/(?<![^\s("'])[\p{L}']{1,14}(?![^\s.,;:!?)"'])/gu) ?? [];
  return words.reduce((sum, word) => sum + word.length + 1, 0) >= text.length * PROSE;
}
const PROSE = 0.7;

const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;
