// Which signals are evidence of their own: what several rules find in the same words is said once.
import type { Span } from '../text/span.ts';

type Weighed = Span & { rule: string; weight: number };

/** Of a signal so much has to stand outside of stronger ones. */
const MIN_OWN = 0.5;

/** Those that say something that no stronger one says of the same words. @param signals in the order of their start */
export function independent<Signal extends Weighed>(signals: readonly Signal[]): Set<Signal> {
  const kept = new Set<Signal>();
  const levels = Map.groupBy(signals, ({ weight }) => weight);
  let taken: Span[] = [];
  for (const weight of [...levels.keys()].toSorted((a, b) => b - a)) {
    const level = levels.get(weight) ?? [];
    const own = firstOfEach(level.filter((signal) => covered(signal, taken) <= lengthOf(signal) * (1 - MIN_OWN)));
    for (const signal of own) kept.add(signal);
    taken = merged([...taken, ...own]);
  }
  return kept;
}

const lengthOf = ({ start, end }: Span): number => end - start;

/** Of those of one weight that overlap, the first, and those of its rule: which of them counts is known there. */
function firstOfEach<Signal extends Weighed>(signals: readonly Signal[]): Signal[] {
  const own: Signal[] = [];
  let last: Signal | undefined;
  for (const signal of signals) {
    const shared = last && last.rule !== signal.rule ? Math.min(last.end, signal.end) - signal.start : 0;
    if (shared > lengthOf(signal) * (1 - MIN_OWN)) continue;
    own.push(signal);
    if (!last || signal.end > last.end) last = signal;
  }
  return own;
}

/** How much of it stands in these. @param spans in order, apart from one another */
function covered({ start, end }: Span, spans: readonly Span[]): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  let sum = 0;
  for (let at = low; (spans[at]?.start ?? end) < end; at++) {
    const span = spans[at];
    if (span) sum += Math.min(end, span.end) - Math.max(start, span.start);
  }
  return sum;
}

function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else all.push({ start, end });
  }
  return all;
}
