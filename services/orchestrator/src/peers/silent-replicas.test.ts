import { expect, test } from 'vitest';
import { createSilentReplicas } from './silent-replicas.ts';

test('a replica that was silent is avoided for a while, where there is another one', () => {
  let now = 0;
  const silent = createSilentReplicas(() => now);
  expect(silent.preferred(['a', 'b'])).toBeUndefined();
  silent.note('a', true);
  expect(silent.preferred(['a', 'b'])).toBe('b');
  expect(silent.preferred(['c', 'd'])).toBeUndefined();
  expect(silent.preferred(['a'])).toBeUndefined();
  now = 10_001;
  expect(silent.preferred(['a', 'b'])).toBeUndefined();
});

test('a replica that answers again is not avoided any longer', () => {
  const silent = createSilentReplicas(() => 0);
  silent.note('a', true);
  silent.note('a', false);
  expect(silent.preferred(['a', 'b'])).toBeUndefined();
});
