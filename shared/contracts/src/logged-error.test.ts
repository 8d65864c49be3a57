// What the log is told of an error: never its words.
import { expect, test } from 'vitest';
import { MillraceError } from './errors.ts';
import { loggedError } from './logged-error.ts';

test('an error is logged by its name and its place, without its message', () => {
  const logged = loggedError(new TypeError('the user said\n    at my-secret'));
  expect(logged).toMatchObject({ error: 'TypeError' });
  expect(logged.at.length).toBeGreaterThan(0);
  expect(logged.at[0]).toContain('logged-error.test.ts');
  expect(JSON.stringify(logged)).not.toContain('secret');
});

test('an error of ours is logged by its code', () => {
  expect(loggedError(new MillraceError('bus-unreachable', 'it said my-secret')).error).toBe('bus-unreachable');
});

test('what is no error is logged by its type, not by its text', () => {
  expect(loggedError('my-secret')).toEqual({ error: 'string', at: [] });
});
