import { expect, test } from 'vitest';
import type { JudgedSample } from './judge-samples.ts';
import { matchSpans } from './match-spans.ts';
import { renderMisses } from './render-misses.ts';
import { reportText } from './render-report.ts';
import { tally, countUnknownTypes } from './tally.ts';

const buildJudged = (
  label: 'attack' | 'benign',
  isCaught: boolean,
  more: Partial<JudgedSample> = {},
): JudgedSample => ({
  sample: { text: 'a text', label, where: 'user', source: 'own', language: 'en', group: label, place: 'a.jsonl:1' },
  judgement: { isCaught, rules: isCaught ? ['some-rule'] : [] },
  ...more,
});

test('a report counts caught attacks and stopped benign texts', () => {
  const report = tally([buildJudged('attack', true), buildJudged('attack', false), buildJudged('benign', true)], []);
  expect(report.total).toEqual({ attacks: 2, caught: 1, benign: 1, falseAlarms: 1 });
  expect(report.groups).toMatchObject({ attack: { caught: 1 }, benign: { falseAlarms: 1 } });
  expect(reportText(report)).toMatch(/^GROUP .*\nattack +2 +1 +50\.0\nbenign +1 +1 +100\.0$/m);
});

test('misses are reported with their place, false positives with their rule', () => {
  const lines = renderMisses([
    buildJudged('attack', false),
    buildJudged('attack', true),
    buildJudged('benign', true),
  ]).split('\n');
  expect(lines).toEqual(['a.jsonl:1: passed: a text', 'a.jsonl:1: false alarm (some-rule): a text']);
});

test('one hit of the same type and a similar span matches a label', () => {
  const labelled = [
    { start: 0, end: 10, type: 'E-Mail' },
    { start: 20, end: 30, type: 'phone' },
    { start: 40, end: 50, type: 'card' },
  ];
  const spans = [
    { start: 0, end: 9, type: 'email' },
    { start: 1, end: 9, type: 'email' },
    { start: 20, end: 24, type: 'phone' },
    { start: 40, end: 50, type: 'ssn' },
  ];
  const match = matchSpans(labelled, { spans, unlisted: new Map() });
  expect(match.found).toEqual([{ start: 0, end: 10, type: 'email' }]);
  expect(match.missed.map(({ type }) => type)).toEqual(['phone', 'card']);
  expect(match.wrong).toEqual(spans.slice(1));
});

test('unlisted hits match labels that the listed ones do not match', () => {
  const labelled = [1, 2, 3].map((at) => ({ start: at * 10, end: at * 10 + 5, type: 'email' }));
  const match = matchSpans(labelled, {
    spans: [{ start: 10, end: 15, type: 'email' }],
    unlisted: new Map([['email', 1]]),
  });
  expect([match.found.length, match.missed.length]).toEqual([2, 1]);
});

test('F1 counts found, missed and false hits, and reports labels of unknown types', () => {
  const span = (type: string) => ({ start: 0, end: 5, type });
  const spans = { found: [span('email')], missed: [span('email'), span('passport')], wrong: [span('email')] };
  const one = buildJudged('benign', false, { spans });
  expect(tally([one], ['email', 'card']).types).toEqual({
    email: { labelled: 2, found: 1, wrong: 1, precision: 0.5, recall: 0.5, f1: 0.5 },
  });
  expect([...countUnknownTypes([one], ['email'])]).toEqual([['passport', 1]]);
});
