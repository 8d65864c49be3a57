// Renders the report: a table each for sources, groups, languages and types of personal data.
import type { DisguiseTally } from './judge-disguises.ts';
import type { Reached } from './measure-bars.ts';
import type { LayerTally } from './model/layer-tally.ts';
import type { QualityReport, Tally, TypeTally } from './tally.ts';

export function reportText({ total, sources, groups, languages, types }: QualityReport): string {
  const sections = [
    tallyTable('SOURCE', sources),
    tallyTable('GROUP', groups),
    tallyTable('LANGUAGE', languages),
    tallyTable('TOTAL', { all: total }),
  ];
  if (Object.keys(types).length > 0) sections.push(renderTypes(types));
  return sections.join('\n\n');
}

function tallyTable(title: string, rows: Record<string, Tally>): string {
  const cells = Object.entries(rows).map(([name, { attacks, caught, benign, falseAlarms }]) => [
    name,
    ...countAndShare(caught, attacks),
    ...countAndShare(falseAlarms, benign),
  ]);
  return renderTable([title, 'ATTACKS', 'CAUGHT', '%', 'BENIGN', 'FALSE ALARMS', '%'], cells);
}

function renderTypes(rows: Record<string, TypeTally>): string {
  const cells = Object.entries(rows).map(([type, { labelled, found, wrong, precision, recall, f1 }]) => [
    type,
    ...[labelled, found, wrong].map(String),
    ...[precision, recall, f1].map((share) => renderPercent(share)),
  ]);
  return renderTable(['TYPE', 'LABELLED', 'FOUND', 'WRONG', 'PRECISION %', 'RECALL %', 'F1 %'], cells);
}

/** Renders the current counts in the form of quality-bars.ts; F1 in whole percent, rounded down. */
export function renderBars({ report, disguises }: Reached): string {
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

/** KEPT: attacks caught in the form, of those caught without it. */
export function renderDisguises(rows: Record<string, DisguiseTally>): string {
  const cells = Object.entries(rows).map(([form, { attacks, caught, plain, kept }]) => [
    form,
    ...countAndShare(caught, attacks),
    ...countAndShare(kept, plain),
  ]);
  return renderTable(['FORM', 'ATTACKS', 'CAUGHT', '%', 'CAUGHT PLAIN', 'KEPT', '%'], cells);
}

/** Renders the stopped texts per layer, and the requests to the model. */
export function renderLayers(rows: Record<string, LayerTally>): string {
  const cells = Object.entries(rows).map(([name, { texts, asked, requests, byRules, byModel, byFailure }]) => [
    name,
    ...countAndShare(asked, texts),
    ...[(requests / Math.max(1, texts)).toFixed(2), byRules, byModel, byFailure].map(String),
    renderPercent((byRules + byModel + byFailure) / Math.max(1, texts)),
  ]);
  return renderTable(
    ['MODEL', 'TEXTS', 'ASKED', '%', 'CALLS A TEXT', 'STOPPED BY RULES', 'BY THE MODEL', 'UNANSWERED', '% STOPPED'],
    cells,
  );
}

export const countAndShare = (part: number, whole: number): string[] =>
  whole === 0 ? ['', '', ''] : [String(whole), String(part), renderPercent(part / whole)];

export const renderPercent = (share: number): string => (share * 100).toFixed(1);

/** Aligns the first column to the left, numbers to the right. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const renderLine = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return all.map(renderLine).join('\n');
}
