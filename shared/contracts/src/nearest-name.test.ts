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

test('A word of millions of characters is compared with no name', () => {
  expect(findNearestName('runs'.repeat(1_250_000), names)).toBeUndefined();
});

test.each(['walk', 'constructor', '', 'xyz'])('No name is near %j', (word) => {
  expect(suggestName('unknown', word, names)).toBe('unknown');
});
