import { expect, test } from 'vitest';
import { createApiKey, hashSecret, isApiKey, isSecret, parseApiKey, spellApiKey } from './api-key.ts';

test('A key is spelled as mk, id and a secret of 256 bits, and is parsed to the same key', () => {
  const key = createApiKey();
  const text = spellApiKey(key);
  expect(text).toMatch(/^mk_[A-Za-z0-9]{13}_[A-Za-z0-9]{43}$/);
  expect(parseApiKey(text)).toEqual(key);
  expect(isApiKey(text)).toBe(true);
});

test('Keys differ from each other, and their digits are spread over the alphabet', () => {
  const keys = Array.from({ length: 500 }, createApiKey);
  expect(new Set(keys.map(({ id }) => id)).size).toBe(500);
  expect(new Set(keys.map(({ secret }) => secret)).size).toBe(500);
  expect(new Set(keys.flatMap(({ secret }) => secret.slice(1).split(''))).size).toBe(62);
});

test.each([
  '',
  'mk_',
  'mk_abcdefgh_',
  `mk__${'a'.repeat(43)}`,
  `mk_abcdefgh_${'a'.repeat(42)}`,
  `mk_abcdefgh_${'a'.repeat(44)}`,
  `mk_abcdefgh_${'a'.repeat(42)}.`,
  `mk_abcdefgh_${'a'.repeat(43)}_x`,
  `mk_abc.defgh_${'a'.repeat(43)}`,
  `MK_abcdefgh_${'a'.repeat(43)}`,
  ` mk_abcdefgh_${'a'.repeat(43)}`,
  `mk_abcdefgh_${'a'.repeat(43)}\n`,
])('A text of another form is no key: %j', (text) => expect(parseApiKey(text)).toBeUndefined());

test('A secret is recognized by its hash, and no other text is', () => {
  const { secret } = createApiKey();
  const hash = hashSecret(secret);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(isSecret(secret, hash)).toBe(true);
  expect(isSecret(`${secret}x`, hash)).toBe(false);
  expect(isSecret('', hash)).toBe(false);
  expect(isSecret(secret, hash.slice(2))).toBe(false);
});
