import { expect, test } from 'vitest';
import { createSilentReplicas } from './replica-health.ts';

test('a replica that was silent is avoided for a while if there is another one', () => {
  let now = 0;
  const silent = createSilentReplicas(() => now);
  expect(silent.preferAnswering(['a', 'b'])).toBeUndefined();
  silent.note('a', true);
  expect(silent.preferAnswering(['a', 'b'])).toBe('b');
  expect(silent.preferAnswering(['c', 'd'])).toBeUndefined();
  expect(silent.preferAnswering(['a'])).toBeUndefined();
  now = 10_001;
  expect(silent.preferAnswering(['a', 'b'])).toBeUndefined();
});

test('a replica that answers again is no longer avoided', () => {
  const silent = createSilentReplicas(() => 0);
  silent.note('a', true);
  silent.note('a', false);
  expect(silent.preferAnswering(['a', 'b'])).toBeUndefined();
});
