import { expect, test } from 'vitest';
import { createPlace } from './json-place.ts';
import { replaceHits } from './replace-hits.ts';

const replaceWord = (text: string, found: string) => {
  const start = text.indexOf(found);
  return replaceHits(text, [{ start, end: start + found.length }], () => 'M', createPlace(true));
};

test.each([
  ['["4111","1111"]', '4111","1111', ['M']],
  ['[4111,1111]', '4111,1111', ['M']],
  ['["4111",1111]', '4111",1111', ['M']],
  ['[4111,"1111"]', '4111,"1111', ['M']],
  ['{"a":"x 4111 y"}', '4111', { a: 'x M y' }],
])('replacing a hit across members of a list keeps the JSON valid: %s', (text, found, expected) => {
  expect(JSON.parse(replaceWord(text, found))).toEqual(expected);
});
