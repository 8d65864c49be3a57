import { expect, test } from 'vitest';
import { locateThrown } from './thrown-error.ts';

test('An error is located by its class and the frames of its stack', () => {
  const { error, at } = locateThrown(new TypeError('no'));
  expect(error).toBe('TypeError');
  expect(at?.[0]).toMatch(/thrown-error\.test\.ts\S*:\d+:\d+/);
});

test('The message of an error is in no member, even if it looks like a frame of the stack', () => {
  const secret = 'ada@example.com';
  for (const message of [secret, `first\n    at ${secret}`, `at ${secret}\n    at ${secret} (file.ts:1:1)`]) {
    const error = new Error(message, { cause: new Error(secret) });
    expect(JSON.stringify(locateThrown(error))).not.toContain(secret);
    error.message = 'another one';
    expect(JSON.stringify(locateThrown(error))).not.toContain(secret);
  }
});

test('A thrown value that is no error has its type and no frames', () => {
  expect(locateThrown('ada@example.com')).toEqual({ error: 'string' });
  expect(locateThrown(undefined)).toEqual({ error: 'undefined' });
});

test('An empty message leaves the frames', () => {
  expect(locateThrown(new Error()).at?.[0]).toContain('thrown-error.test.ts');
});

test('An error with members of other types is located as far as possible, and never throws', () => {
  const odd = (members: object) => locateThrown(Object.assign(new Error('x'), members));
  expect(odd({ name: 7 }).error).toBe('7');
  expect(odd({ name: undefined, stack: null }).at).toBeUndefined();
  const hostile = Object.defineProperty(new Error('x'), 'stack', {
    get: () => {
      throw new Error('no stack');
    },
  });
  expect(locateThrown(hostile)).toEqual({});
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(locateThrown(proxy)).toEqual({});
});
