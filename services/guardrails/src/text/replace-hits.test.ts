import { expect, test } from 'vitest';
import { beginning } from './json-place.ts';
import { replaceHits } from './replace-hits.ts';

const marked = (text: string, found: string) => {
  const start = text.indexOf(found);
  return replaceHits(text, [{ start, end: start + found.length }], () => 'M', beginning(true));
};

test.each([
  ['["4111","1111"]', '4111","1111', ['M']],
  ['[4111,1111]', '4111,1111', ['M']],
  ['["4111",1111]', '4111",1111', ['M']],
  ['[4111,"1111"]', '4111,"1111', ['M']],
  ['{"a":"x 4111 y"}', '4111', { a: 'x M y' }],
])('a mark over members of a list leaves JSON: %s', (text, found, expected) => {
  expect(JSON.parse(marked(text, found))).toEqual(expected);
});
