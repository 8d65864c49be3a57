import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosePeers } from './peer-state.ts';

test.each([
  ['a', [], []],
  ['a', ['a'], []],
  ['b', ['a', 'b'], ['a']],
  ['b', ['a', 'b', 'c'], ['c', 'a']],
  ['e', ['a', 'b', 'c', 'd', 'e'], ['a', 'b']],
  ['c', ['e', 'd', 'c', 'b', 'a'], ['d', 'e']],
])('%s among %j watches %j', (own, peers, watched) => {
  expect(choosePeers(own, peers)).toEqual(watched);
});

test('each of any number of orchestrators is watched by two others, or by all if there are fewer', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 }), (ids) => {
      const watchers = ids.flatMap((own) => choosePeers(own, ids));
      for (const id of ids) expect(watchers.filter((one) => one === id)).toHaveLength(Math.min(2, ids.length - 1));
    }),
  );
});
