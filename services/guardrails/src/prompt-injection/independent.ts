// Which signals are evidence of their own: what several rules find in the same words is said once.
import { coveredBy, mergeOverlapping, type Span } from '../text/span.ts';

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
    const own = firstOfEach(level.filter((signal) => coveredBy(signal, taken) <= lengthOf(signal) * (1 - MIN_OWN)));
    for (const signal of own) kept.add(signal);
    taken = mergeOverlapping([...taken, ...own]);
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
