import { expect, test } from 'vitest';
import { editArguments } from './arguments-edit.ts';

const original = { text: 'good', count: 1 };

test.each<[string, string, object]>([
  ['the same value in another form', '{ "text":"good",\n"count": 1}', {}],
  ['another value', '{"text":"bad","count":1}', { args: { text: 'bad', count: 1 } }],
  ['a list', '[1]', { problem: 'The arguments are not a JSON object.' }],
  ['null', 'null', { problem: 'The arguments are not a JSON object.' }],
  ['an incomplete text', '{"text":', { problem: 'The arguments are not a JSON object.' }],
])('The edit of arguments recognizes %s', (_, text, expected) => {
  expect(editArguments(text, original)).toEqual({ text, ...expected });
});
