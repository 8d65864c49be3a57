import { describe, expect, test } from 'vitest';
import { createRefusals, MAX_REFUSALS, createPermissionError, REPLY_REFUSED_MS } from './refusals.ts';

describe('refused permissions', () => {
  test('A permission is new once, and named until the connection is replaced', () => {
    const refusals = createRefusals();
    expect(refusals.find(0)).toBeUndefined();
    expect(refusals.add({ operation: 'publish', subject: 'a.b' }, 0)).toBe(true);
    expect(refusals.add({ operation: 'publish', subject: 'a.b' }, 1)).toBe(false);
    expect(refusals.add({ operation: 'subscribe', subject: 'a.b', isReopened: true }, 1)).toBe(true);
    expect(refusals.find(Number.MAX_SAFE_INTEGER)).toBe('NATS refuses a permission: publish on a.b (and 1 more)');
    refusals.forgetConnection();
    expect(refusals.find(2)).toBeUndefined();
    expect(refusals.add({ operation: 'publish', subject: 'a.b' }, 2)).toBe(true);
  });

  test('A subscription that nothing opens again remains refused on later connections', () => {
    const refusals = createRefusals();
    refusals.add({ operation: 'subscribe', subject: 'lost' }, 0);
    refusals.forgetConnection();
    expect(refusals.find(1)).toBe('NATS refuses a permission: subscribe to lost');
  });

  test('At most 32 permissions are remembered, and the first further one is reported', () => {
    const refusals = createRefusals();
    const reported = Array.from({ length: 1_000 }, (_, at) =>
      refusals.add({ operation: 'publish', subject: `s.${at}` }, 0),
    );
    expect(reported.filter(Boolean)).toHaveLength(MAX_REFUSALS + 1);
    expect(refusals.find(0)).toBe('NATS refuses a permission: publish on s.0 (and at least 31 more)');
  });

  test('Refused replies are one permission, whatever their subjects, for a minute after the last one', () => {
    const refusals = createRefusals();
    expect(refusals.add({ operation: 'publish', subject: '_INBOX.a.1' }, 0)).toBe(true);
    expect(refusals.add({ operation: 'publish', subject: '_R_.b.2' }, 1_000)).toBe(false);
    expect(refusals.find(REPLY_REFUSED_MS + 999)).toBe('NATS refuses a permission: publish on _INBOX.a.1');
    expect(refusals.find(REPLY_REFUSED_MS + 1_000)).toBeUndefined();
  });

  test('The error names the permission and its remedy, and a long subject is cut', () => {
    expect(createPermissionError('publish', 'a.b')).toMatchObject({
      code: 'permission-denied',
      message: 'The NATS user has no permission to publish on a.b.',
      path: 'a.b',
      remedy: expect.stringContaining('permissions.publish'),
    });
    expect(createPermissionError('publish', '_INBOX.x.1').remedy).toContain('allow_responses');
    expect(createPermissionError('subscribe', 'x'.repeat(5_000)).message.length).toBeLessThan(300);
  });
});
