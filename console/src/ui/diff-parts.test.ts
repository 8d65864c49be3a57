import { expect, test } from 'vitest';
import { compareTexts } from './diff-parts.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('');

test('A comparison by words marks the words', () => {
  expect(compareTexts('My card is 4111.', 'My card is [REDACTED].', 'words')).toEqual([
    { kind: 'same', text: 'My card is ' },
    { kind: 'removed', text: '4111' },
    { kind: 'added', text: '[REDACTED]' },
    { kind: 'same', text: '.' },
  ]);
});

test('A comparison by lines leaves out the lines that are far from a change', () => {
  const parts = compareTexts(lines(0, 20), lines(0, 10) + 'new\n' + lines(10, 20), 'lines');
  expect(parts).toEqual([
    { kind: 'omitted', text: '… 7 unchanged lines\n' },
    { kind: 'same', text: lines(7, 10) },
    { kind: 'added', text: 'new\n' },
    { kind: 'same', text: lines(10, 13) },
    { kind: 'omitted', text: '… 7 unchanged lines\n' },
  ]);
});

test('Few unchanged lines are shown', () => {
  expect(compareTexts(lines(0, 4), lines(0, 4) + 'new\n', 'lines').map(({ kind }) => kind)).toEqual(['same', 'added']);
});
