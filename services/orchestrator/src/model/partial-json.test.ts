import { expect, test } from 'vitest';
import { createPartialJson } from './partial-json.ts';

const parsePieces = (...pieces: string[]) => {
  const partial = createPartialJson();
  for (const piece of pieces) partial.add(piece);
  return partial.readValue();
};

test.each([
  ['', undefined],
  ['{', {}],
  ['{"ci', {}],
  ['{"city"', {}],
  ['{"city":', {}],
  ['{"city":"Os', { city: 'Os' }],
  ['{"city":"Os\\', { city: 'Os' }],
  ['{"city":"Os\\u00', { city: 'Os' }],
  ['{"city":"Os\\u006c', { city: 'Osl' }],
  ['{"city":"a\\"b', { city: 'a"b' }],
  ['{"city":"Oslo","n', { city: 'Oslo' }],
  ['{"n":12', {}],
  ['{"n":12,', { n: 12 }],
  ['{"n":12}', { n: 12 }],
  ['[1,tru', [1]],
  ['[{"a":[1,2],"b":"x', [{ a: [1, 2], b: 'x' }]],
  ['"a text', 'a text'],
  ['Here it is: {"a":1}', undefined],
])('%s is %j so far, however it is cut', (text, value) => {
  expect(parsePieces(text)).toEqual(value);
  expect(parsePieces(...(text.match(/./gs) ?? []))).toEqual(value);
});

test('half a character is not shown', () => {
  expect(parsePieces('{"a":"x\uD83D')).toEqual({ a: 'x' });
  expect(parsePieces('{"a":"x\uD83D', '\uDE00')).toEqual({ a: 'x😀' });
});
