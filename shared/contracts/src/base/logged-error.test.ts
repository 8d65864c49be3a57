// The log of an error omits its message.
import { expect, test } from 'vitest';
import { MillraceError } from './errors.ts';
import { toLoggedError } from './errors.ts';

test('An error is logged by name and stack frames, without its message', () => {
  const logged = toLoggedError(new TypeError('the user said\n    at my-secret'));
  expect(logged).toMatchObject({ error: 'TypeError' });
  expect(logged.at.length).toBeGreaterThan(0);
  expect(logged.at[0]).toContain('logged-error.test.ts');
  expect(JSON.stringify(logged)).not.toContain('secret');
});

test('A MillraceError is logged by its code', () => {
  expect(toLoggedError(new MillraceError('bus-unreachable', 'it said my-secret')).error).toBe('bus-unreachable');
});

test('A thrown value that is not an error is logged by its type, without its text', () => {
  expect(toLoggedError('my-secret')).toEqual({ error: 'string', at: [] });
});
