import { expect, test } from 'vitest';
import { findNearestName, suggestName } from './nearest-name.ts';

const names = ['run', 'runs', 'agents', 'processors', 'dead-letters', 'messages'];

test.each([
  ['rnus', 'runs'],
  ['agnets', 'agents'],
  ['procesors', 'processors'],
  ['dead-leters', 'dead-letters'],
  ['mesages', 'messages'],
])('The name next to %s is %s', (word, name) => {
  expect(findNearestName(word, names)).toBe(name);
});

test('A word is not compared with a name of another length', () => {
  expect(findNearestName('a'.repeat(300_000), [...names, 'a'.repeat(300_010)])).toBeUndefined();
});

test.each(['walk', 'constructor', '', 'xyz'])('No name is near %j', (word) => {
  expect(suggestName('unknown', word, names)).toBe('unknown');
});
