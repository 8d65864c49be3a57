import { expect, test } from 'vitest';
import { createAnswerCache, hashAnswerKey } from './answer-cache.ts';

const clock = { ms: 0 };
const now = () => clock.ms;

test('the cache returns an answer until its age reaches the given duration', () => {
  const cache = createAnswerCache({ maxEntries: 10, maxCharacters: 100, now });
  cache.set('key', '1');
  clock.ms += 99;
  expect(cache.get('key', 100)).toBe('1');
  clock.ms += 1;
  expect(cache.get('key', 100)).toBeUndefined();
  expect(cache.get('key', 200)).toBe('1');
});

test('the cache evicts the answer that was used least recently, by count and by characters', () => {
  const cache = createAnswerCache({ maxEntries: 3, maxCharacters: 80, now });
  for (const key of ['a', 'b', 'c']) cache.set(key, key);
  cache.get('a', 1);
  cache.set('d', 'd');
  const listKnown = () => ['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key, 1) !== undefined);
  expect(listKnown()).toEqual(['a', 'c', 'd']);
  cache.set('e', 'x'.repeat(11));
  expect(listKnown()).toEqual(['a', 'c', 'd']);
  for (let at = 0; at < 30; at++) cache.set(`long ${at}`, 'x'.repeat(10));
  expect(Array.from({ length: 30 }, (_, at) => cache.get(`long ${at}`, 1)).filter(Boolean)).toHaveLength(3);
});

test('two answers of one key count once', () => {
  const cache = createAnswerCache({ maxEntries: 100, maxCharacters: 80, now });
  for (let at = 0; at < 20; at++) cache.set('a', 'x'.repeat(10));
  cache.set('b', 'x'.repeat(10));
  expect(cache.get('a', 1)).toBeDefined();
});

test('the ends of the parts of a key cannot move', () => {
  const key = { tenant: 'a', model: 'm', questionVersion: 'v', text: 't' };
  const keys = [key, { ...key, tenant: 'am', model: '' }, { ...key, questionVersion: 'vt', text: '' }].map(
    hashAnswerKey,
  );
  expect(new Set(keys).size).toBe(3);
});
