// Selects the signals that are independent evidence: several rules on the same words count once.
import { countCovered, mergeOverlapping, type TextSpan } from '../../text/span.ts';

type WeighedSignal = TextSpan & { rule: string; weight: number };

/** Minimum share of a signal outside of stronger ones. */
const MIN_OWN = 0.5;

/** Returns the signals with words that no stronger signal covers. @param signals in the order of their start */
export function selectIndependent<Signal extends WeighedSignal>(signals: readonly Signal[]): Set<Signal> {
  const kept = new Set<Signal>();
  const levels = Map.groupBy(signals, ({ weight }) => weight);
  let taken: TextSpan[] = [];
  for (const weight of [...levels.keys()].toSorted((a, b) => b - a)) {
    const level = levels.get(weight) ?? [];
    const own = takeFirstOfEach(
      level.filter((signal) => countCovered(signal, taken) <= countUnits(signal) * (1 - MIN_OWN)),
    );
    for (const signal of own) kept.add(signal);
    taken = mergeOverlapping([...taken, ...own]);
  }
  return kept;
}

const countUnits = ({ start, end }: TextSpan): number => end - start;

/**
 * Of overlapping signals with one weight, keeps the first and the others of its rule; the caller decides which of those
 * count.
 */
function takeFirstOfEach<Signal extends WeighedSignal>(signals: readonly Signal[]): Signal[] {
  const own: Signal[] = [];
  let last: Signal | undefined;
  for (const signal of signals) {
    const shared = last && last.rule !== signal.rule ? Math.min(last.end, signal.end) - signal.start : 0;
    if (shared > countUnits(signal) * (1 - MIN_OWN)) continue;
    own.push(signal);
    if (!last || signal.end > last.end) last = signal;
  }
  return own;
}
