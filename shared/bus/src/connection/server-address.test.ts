import { describe, expect, test } from 'vitest';
import { parseServerAddress } from './server-address.ts';

describe('credentials in a server address', () => {
  test.each([
    [
      'user and password',
      'nats://ada:s%40cret:x@host:4222',
      { servers: ['nats://host:4222'], user: 'ada', pass: 's@cret:x' },
    ],
    ['a token', 'tls://t0ken@host', { servers: ['tls://host'], token: 't0ken' }],
    [
      'a password that was not encoded',
      'nats://ada:100%/@x@host',
      { servers: ['nats://host'], user: 'ada', pass: '100%/@x' },
    ],
    ['no scheme', 'ada:pw@host:1', { servers: ['host:1'], user: 'ada', pass: 'pw' }],
    [
      'of one of several',
      'nats://ada:pw@a:1,nats://b:2',
      { servers: ['nats://a:1', 'nats://b:2'], user: 'ada', pass: 'pw' },
    ],
  ])('Credentials are removed from the address: %s', (_what, address, parsed) =>
    expect(parseServerAddress(address)).toEqual(parsed),
  );

  test('Credentials are optional', () => {
    expect(parseServerAddress('nats://a:1, b:2,[::1]:3')).toEqual({ servers: ['nats://a:1', 'b:2', '[::1]:3'] });
  });

  test.each(['http://a:1', 'ws://ada:secret@a:1', 'nats://a:1,https://b:2'])(
    'An address with a scheme of another protocol is rejected with the allowed ones: %s',
    (address) => {
      expect(() => parseServerAddress(address)).toThrow(
        expect.objectContaining({
          code: 'config-invalid',
          path: 'NATS_URL',
          remedy: expect.stringContaining('tls://'),
        }),
      );
    },
  );

  test('Different credentials of two servers are rejected without being shown', () => {
    const parse = () => parseServerAddress('nats://ada:one@a:1,nats://bob:two@b:2');
    expect(parse).toThrow(
      expect.objectContaining({
        code: 'config-invalid',
        message: 'nats://a:1,nats://b:2 names different credentials.',
      }),
    );
  });
});
