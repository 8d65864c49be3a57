import { expect, test } from 'vitest';
import { containsCredential, hideCredentials } from './credentials.ts';

test.each([
  ['the value', 'the key sk-12345678 is wrong'],
  ['one word of the value', 'wrong: 12345678-abc'],
  ['the value in JSON', '{"sent":"a \\"quoted\\" key"}'],
])('A text with %s contains the credential, and shows nothing of it when it is hidden', (_name, text) => {
  const values = ['sk-12345678', 'Bearer 12345678-abc', 'a "quoted" key'];
  expect(containsCredential(text, values)).toBe(true);
  const hidden = hideCredentials(text, values);
  expect(hidden).toContain('(hidden credential)');
  expect(containsCredential(hidden, values)).toBe(false);
});

test('A value of less than 8 characters is no credential', () => {
  expect(containsCredential('none of it', ['none', ''])).toBe(false);
  expect(hideCredentials('none of it', ['none', ''])).toBe('none of it');
});
