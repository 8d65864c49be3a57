import { describe, expect, test } from 'vitest';
import { hideAddressParts } from './shown-address.ts';

describe('an address is shown', () => {
  test.each([
    ['nats://localhost:4222', 'nats://localhost:4222'],
    ['localhost:4222', 'localhost:4222'],
    ['nats://a:1, b:2,[::1]:3', 'nats://a:1,b:2,[::1]:3'],
    ['http://qdrant:6333/path', 'http://qdrant:6333'],
  ])('The address %s is shown as %s', (address, shown) => expect(hideAddressParts(address)).toBe(shown));
});

describe('an address never shows its secret:', () => {
  test.each([
    ['user and password', 'nats://ada:s3cret@host:4222', 'nats://host:4222'],
    ['a token', 'tls://s3cret@host', 'tls://host'],
    ['a password alone', 'redis://:s3cret@host:6379/0', 'redis://host:6379'],
    ['no scheme', 'ada:s3cret@host:4222', 'host:4222'],
    ['a slash or an @ in the password', 'nats://ada:s3cret/@x@host', 'nats://host'],
    ['a query', 'rediss://host:6379?password=s3cret', 'rediss://host:6379'],
    ['each of several', 'nats://a:s3cret@one:1,nats://b:s3cret@two:2', 'nats://one:1,nats://two:2'],
    ['a comma in the password', 'nats://ada:s3cret,x@host', '(hidden address),host'],
    ['no host', 'nats://ada:s3cret@', '(hidden address)'],
    ['a line break', 'nats://ada:s3\ncret@host', 'nats://host'],
  ])('The secret is hidden in %s', (_what, address, shown) => expect(hideAddressParts(address)).toBe(shown));
});
