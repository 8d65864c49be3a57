// The report for people: a table for sources, groups, languages, and for types of personal data. Pure.
import type { DisguiseTally } from './judge-disguises.ts';
import type { Reached } from './measure-bars.ts';
import type { LayerTally } from './model/layer-tally.ts';
import type { Report, Tally, TypeTally } from './tally.ts';

export function reportText({ total, sources, groups, languages, types }: Report): string {
  const sections = [
    tallyTable('SOURCE', sources),
    tallyTable('GROUP', groups),
    tallyTable('LANGUAGE', languages),
    tallyTable('TOTAL', { all: total }),
  ];
  if (Object.keys(types).length > 0) sections.push(typeTable(types));
  return sections.join('\n\n');
}

function tallyTable(title: string, rows: Record<string, Tally>): string {
  const cells = Object.entries(rows).map(([name, { attacks, caught, benign, falseAlarms }]) => [
    name,
    ...countAndShare(caught, attacks),
    ...countAndShare(falseAlarms, benign),
  ]);
  return table([title, 'ATTACKS', 'CAUGHT', '%', 'BENIGN', 'FALSE ALARMS', '%'], cells);
}

function typeTable(rows: Record<string, TypeTally>): string {
  const cells = Object.entries(rows).map(([type, { labelled, found, wrong, precision, recall, f1 }]) => [
    type,
    ...[labelled, found, wrong].map(String),
    ...[precision, recall, f1].map((share) => percent(share)),
  ]);
  return table(['TYPE', 'LABELLED', 'FOUND', 'WRONG', 'PRECISION %', 'RECALL %', 'F1 %'], cells);
}

/** What is reached, as quality-bars.ts has it; F1 in whole percent, rounded down. */
export function barsText({ report, disguises }: Reached): string {
  const groups = Object.entries(report.groups);
  const caught = groups.filter(([, { attacks }]) => attacks > 0).map(([name, tally]) => [name, tally.caught]);
  const alarms = groups.filter(([, tally]) => tally.falseAlarms > 0).map(([name, tally]) => [name, tally.falseAlarms]);
  const f1 = Object.entries(report.types).map(([type, tally]) => [type, Math.floor(tally.f1 * 100)]);
  const inForms = Object.entries(disguises).map(([form, tally]) => [form, tally.caught]);
  const tables = { CAUGHT: caught, FALSE_ALARMS: alarms, F1: f1, DISGUISED: inForms };
  return JSON.stringify(
    Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, Object.fromEntries(rows)])),
    null,
    2,
  );
}

/** KEPT: of the attacks that are caught as they are, those caught in the form. */
export function disguisesText(rows: Record<string, DisguiseTally>): string {
  const cells = Object.entries(rows).map(([form, { attacks, caught, plain, kept }]) => [
    form,
    ...countAndShare(caught, attacks),
    ...countAndShare(kept, plain),
  ]);
  return table(['FORM', 'ATTACKS', 'CAUGHT', '%', 'CAUGHT PLAIN', 'KEPT', '%'], cells);
}

/** Who stopped the texts, and what that cost in requests to the model. */
export function layerText(rows: Record<string, LayerTally>): string {
  const cells = Object.entries(rows).map(([name, { texts, asked, requests, byRules, byModel, byFailure }]) => [
    name,
    ...countAndShare(asked, texts),
    ...[(requests / Math.max(1, texts)).toFixed(2), byRules, byModel, byFailure].map(String),
    percent((byRules + byModel + byFailure) / Math.max(1, texts)),
  ]);
  return table(
    ['MODEL', 'TEXTS', 'ASKED', '%', 'CALLS A TEXT', 'STOPPED BY RULES', 'BY THE MODEL', 'UNANSWERED', '% STOPPED'],
    cells,
  );
}

const countAndShare = (part: number, whole: number): string[] =>
  whole === 0 ? ['', '', ''] : [String(whole), String(part), percent(part / whole)];

const percent = (share: number): string => (share * 100).toFixed(1);

/** The first column to the left, numbers to the right. */
function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
}
