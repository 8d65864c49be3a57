import { expect, test } from 'vitest';
import { readAnswer } from './chat-answers.ts';

test('A question is answered with the typed text, also if it is JSON', () => {
  expect(readAnswer({ kind: 'question' }, 'y')).toEqual({ data: 'y' });
  expect(readAnswer({ kind: 'question' }, '{"a": 1}')).toEqual({ data: '{"a": 1}' });
});

test.each([
  ['y', { data: { approved: true } }],
  ['YES', { data: { approved: true } }],
  ['n', { data: { approved: false } }],
  ['no too much', { data: { approved: false, reason: 'too much' } }],
  ['{"eur": 40}', { data: { approved: true }, args: { eur: 40 } }],
])('An approval is decided by %j', (text, answer) => {
  expect(readAnswer({ kind: 'approval' }, text)).toEqual(answer);
});

test.each(['yes but less', 'perhaps', '40', '[1]', 'yesterday'])('An unclear text decides nothing: %j', (text) => {
  expect(readAnswer({ kind: 'approval' }, text)).toBeUndefined();
});
