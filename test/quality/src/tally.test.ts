import { expect, test } from 'vitest';
import type { JudgedSample } from './judge-samples.ts';
import { matchSpans } from './match-spans.ts';
import { missesText } from './misses-text.ts';
import { reportText } from './report-text.ts';
import { tally, unknownTypes } from './tally.ts';

const judged = (label: 'attack' | 'benign', isCaught: boolean, more: Partial<JudgedSample> = {}): JudgedSample => ({
  sample: { text: 'a text', label, where: 'user', source: 'own', language: 'en', group: label, place: 'a.jsonl:1' },
  judgement: { isCaught, rules: isCaught ? ['some-rule'] : [] },
  ...more,
});

test('a report counts what was caught of attacks and stopped of benign texts', () => {
  const report = tally([judged('attack', true), judged('attack', false), judged('benign', true)], []);
  expect(report.total).toEqual({ attacks: 2, caught: 1, benign: 1, falseAlarms: 1 });
  expect(report.groups).toMatchObject({ attack: { caught: 1 }, benign: { falseAlarms: 1 } });
  expect(reportText(report)).toMatch(/^GROUP .*\nattack +2 +1 +50\.0\nbenign +1 +1 +100\.0$/m);
});

test('misses are told with their place, false alarms with their rule', () => {
  const lines = missesText([judged('attack', false), judged('attack', true), judged('benign', true)]).split('\n');
  expect(lines).toEqual(['a.jsonl:1: passed: a text', 'a.jsonl:1: false alarm (some-rule): a text']);
});

test('a span is found by one hit of its type that covers about the same', () => {
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

test('hits that were counted but not listed answer spans that the listed ones do not', () => {
  const labelled = [1, 2, 3].map((at) => ({ start: at * 10, end: at * 10 + 5, type: 'email' }));
  const match = matchSpans(labelled, {
    spans: [{ start: 10, end: 15, type: 'email' }],
    unlisted: new Map([['email', 1]]),
  });
  expect([match.found.length, match.missed.length]).toEqual([2, 1]);
});

test('F1 is of what was found, missed and seen where there is none; labels that nobody looks for are told', () => {
  const span = (type: string) => ({ start: 0, end: 5, type });
  const spans = { found: [span('email')], missed: [span('email'), span('passport')], wrong: [span('email')] };
  const one = judged('benign', false, { spans });
  expect(tally([one], ['email', 'card']).types).toEqual({
    email: { labelled: 2, found: 1, wrong: 1, precision: 0.5, recall: 0.5, f1: 0.5 },
  });
  expect([...unknownTypes([one], ['email'])]).toEqual([['passport', 1]]);
});
