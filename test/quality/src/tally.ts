// Counts judged samples: caught attacks and false positives by source, group and language, and found personal data by
// type.
import type { JudgedSample } from './judge-samples.ts';
import type { FoundSpan } from './read-verdicts.ts';

export type Tally = { attacks: number; caught: number; benign: number; falseAlarms: number };
export type TypeTally = {
  labelled: number;
  found: number;
  wrong: number;
  precision: number;
  recall: number;
  f1: number;
};
/** By source, group and language, each in the order of the names. */
export type QualityReport = {
  total: Tally;
  sources: Record<string, Tally>;
  groups: Record<string, Tally>;
  languages: Record<string, Tally>;
  types: Record<string, TypeTally>;
};

/** @param knownTypes types of pii; labels of other types are reported separately and do not count as missed */
export function tally(judged: readonly JudgedSample[], knownTypes: readonly string[]): QualityReport {
  return {
    total: countSamples(judged),
    sources: countByGroup(judged, ({ sample }) => sample.source),
    groups: countByGroup(judged, ({ sample }) => sample.group),
    languages: countByGroup(judged, ({ sample }) => sample.language),
    types: tallyTypes(judged, knownTypes),
  };
}

export function countSamples(judged: readonly JudgedSample[]): Tally {
  const attacks = judged.filter(({ sample }) => sample.label === 'attack');
  const benign = judged.filter(({ sample }) => sample.label === 'benign');
  const countCaught = (some: readonly JudgedSample[]) => some.filter(({ judgement }) => judgement.isCaught).length;
  return {
    attacks: attacks.length,
    caught: countCaught(attacks),
    benign: benign.length,
    falseAlarms: countCaught(benign),
  };
}

function countByGroup(judged: readonly JudgedSample[], getKey: (one: JudgedSample) => string): Record<string, Tally> {
  const groups = Object.entries(Object.groupBy(judged, getKey)).map(
    ([key, some = []]) => [key, countSamples(some)] as const,
  );
  return Object.fromEntries(groups.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function tallyTypes(judged: readonly JudgedSample[], types: readonly string[]): Record<string, TypeTally> {
  const rows = types.map((type) => [type, sumSpans(judged, (span) => span.type === type)] as const);
  return Object.fromEntries(rows.filter(([, { labelled, wrong }]) => labelled + wrong > 0));
}

/** Tallies the spans of all types, or of those that `isCounted` selects. */
export function sumSpans(
  judged: readonly JudgedSample[],
  isCounted: (span: FoundSpan) => boolean = () => true,
): TypeTally {
  const count = (member: 'found' | 'missed' | 'wrong') =>
    judged.reduce((sum, { spans }) => sum + (spans?.[member].filter(isCounted).length ?? 0), 0);
  return tallyType(count('found'), count('missed'), count('wrong'));
}

function tallyType(found: number, missed: number, wrong: number): TypeTally {
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  const precision = share(found, found + wrong);
  const recall = share(found, found + missed);
  const f1 = share(2 * found, 2 * found + missed + wrong);
  return { labelled: found + missed, found, wrong, precision, recall, f1 };
}

/** Counts labels of types that the pii processor does not have. */
export function countUnknownTypes(judged: readonly JudgedSample[], types: readonly string[]): Map<string, number> {
  const labels = judged.flatMap(({ spans }) => spans?.missed ?? []).filter(({ type }) => !types.includes(type));
  return new Map(
    Object.entries(Object.groupBy(labels, ({ type }) => type)).map(([type, some = []]) => [type, some.length]),
  );
}
