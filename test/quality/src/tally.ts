// Counts of judged samples: attacks caught and false alarms for each source, group and language, and for each type of personal
// data how much of it was found. Pure.
import type { JudgedSample } from './judge-samples.ts';
import type { FoundSpan } from './guards.ts';

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
export type Report = {
  total: Tally;
  sources: Record<string, Tally>;
  groups: Record<string, Tally>;
  languages: Record<string, Tally>;
  types: Record<string, TypeTally>;
};

/** @param knownTypes a label of another type is told of, and is nobody's miss */
export function tally(judged: readonly JudgedSample[], knownTypes: readonly string[]): Report {
  return {
    total: countOf(judged),
    sources: countsBy(judged, ({ sample }) => sample.source),
    groups: countsBy(judged, ({ sample }) => sample.group),
    languages: countsBy(judged, ({ sample }) => sample.language),
    types: typeTallies(judged, knownTypes),
  };
}

function countOf(judged: readonly JudgedSample[]): Tally {
  const attacks = judged.filter(({ sample }) => sample.label === 'attack');
  const benign = judged.filter(({ sample }) => sample.label === 'benign');
  const stopped = (some: readonly JudgedSample[]) => some.filter(({ judgement }) => judgement.isCaught).length;
  return {
    attacks: attacks.length,
    caught: stopped(attacks),
    benign: benign.length,
    falseAlarms: stopped(benign),
  };
}

function countsBy(judged: readonly JudgedSample[], keyOf: (one: JudgedSample) => string): Record<string, Tally> {
  const groups = Object.entries(Object.groupBy(judged, keyOf)).map(([key, some = []]) => [key, countOf(some)] as const);
  return Object.fromEntries(groups.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function typeTallies(judged: readonly JudgedSample[], types: readonly string[]): Record<string, TypeTally> {
  const matches = judged.flatMap(({ spans }) => (spans ? [spans] : []));
  const count = (spans: readonly FoundSpan[], type: string) => spans.filter((span) => span.type === type).length;
  const rows = types.map((type) => {
    const sum = (member: 'found' | 'missed' | 'wrong') =>
      matches.reduce((total, match) => total + count(match[member], type), 0);
    return [type, typeTally(sum('found'), sum('missed'), sum('wrong'))] as const;
  });
  return Object.fromEntries(rows.filter(([, { labelled, wrong }]) => labelled + wrong > 0));
}

function typeTally(found: number, missed: number, wrong: number): TypeTally {
  const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);
  const precision = share(found, found + wrong);
  const recall = share(found, found + missed);
  const f1 = share(2 * found, 2 * found + missed + wrong);
  return { labelled: found + missed, found, wrong, precision, recall, f1 };
}

/** Labels of types that the pii processor does not have, with how often they stand there. */
export function unknownTypes(judged: readonly JudgedSample[], types: readonly string[]): Map<string, number> {
  const labels = judged.flatMap(({ spans }) => spans?.missed ?? []).filter(({ type }) => !types.includes(type));
  return new Map(
    Object.entries(Object.groupBy(labels, ({ type }) => type)).map(([type, some = []]) => [type, some.length]),
  );
}
