// Tallies the detected languages by the length of the text.
import { NO_LANGUAGE } from '../guard-samples.ts';
import type { JudgedSample } from '../judge-samples.ts';

/** `right`: the detected language is the label, or neither exists. `undecided`: a language was not detected. */
export type LengthTally = { texts: number; right: number; wrong: number; undecided: number };

/** Exclusive ends of the ranges, in code units; the last range is open. */
const ENDS = [20, 60, 150];

/** Tallies by range of length, the shortest first. */
export function tallyLengths(judged: readonly JudgedSample[]): Record<string, LengthTally> {
  const ranges = [...ENDS, Infinity].map((end, at) => ({ start: ENDS[at - 1] ?? 0, end }));
  return Object.fromEntries(
    ranges.map(({ start, end }) => {
      const some = judged.filter(({ sample }) => sample.text.length >= start && sample.text.length < end);
      return [end === Infinity ? `${start} and more` : `${start} to ${end - 1}`, tallyLength(some)];
    }),
  );
}

function tallyLength(judged: readonly JudgedSample[]): LengthTally {
  const wrong = judged.filter(({ spans }) => (spans?.wrong.length ?? 0) > 0).length;
  const undecided = judged.filter(
    ({ sample, spans }) =>
      sample.language !== NO_LANGUAGE && (spans?.missed.length ?? 0) > 0 && spans?.wrong.length === 0,
  ).length;
  return { texts: judged.length, right: judged.length - wrong - undecided, wrong, undecided };
}
