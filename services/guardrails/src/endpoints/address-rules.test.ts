import type { LookupAddress } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createCheckedLookup, isAllowedAddress, type ResolveName } from './address-rules.ts';

describe('allowed addresses', () => {
  test.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (address) => {
    expect(isAllowedAddress(address, false)).toBe(true);
  });
  test.each(['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', '::1', 'fc00::1', '::ffff:10.0.0.1'])(
    '%s is private, and allowed only by the operator',
    (address) => {
      expect(isAllowedAddress(address, false)).toBe(false);
      expect(isAllowedAddress(address, true)).toBe(true);
    },
  );
  test.each([
    ['link-local and metadata', '169.254.169.254'],
    ['IPv4-mapped metadata', '::ffff:169.254.169.254'],
    ['metadata in a public range', '168.63.129.16'],
    ['metadata in a shared range', '100.100.100.200'],
    ['metadata in a unique local range', 'fd00:ec2::254'],
    ['metadata, written in full', 'fd00:0ec2:0:0:0:0:0:0254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '::'],
    ['broadcast', '255.255.255.255'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['reserved', '240.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['documentation', '2001:db8::1'],
    ['benchmarking', '198.18.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:1::1'],
    ['unassigned', '4000::1'],
    ['no address', 'localhost'],
    ['no address', ''],
  ])('%s is never allowed: %s', (_, address) => {
    expect(isAllowedAddress(address, false)).toBe(false);
    expect(isAllowedAddress(address, true)).toBe(false);
  });
});

const lookUp = (resolve: ResolveName, options: { all?: boolean } = {}, allowPrivate = false) =>
  new Promise((done) => {
    createCheckedLookup(allowPrivate, resolve)('guard.example', options, (error, address) =>
      done(error ? error.code : address),
    );
  });
const resolveTo =
  (...found: LookupAddress[]): ResolveName =>
  (_, __, callback) =>
    callback(null, found);
const open = { address: '8.8.8.8', family: 4 };
const closed = { address: '10.0.0.1', family: 4 };

describe('the checked lookup', () => {
  test('returns one address or all, as the connection asks', async () => {
    expect(await lookUp(resolveTo(open))).toBe('8.8.8.8');
    expect(await lookUp(resolveTo(open), { all: true })).toEqual([open]);
  });
  test('one refused address refuses the name', async () => {
    expect(await lookUp(resolveTo(open, closed), { all: true })).toBe('ADDRESS_REFUSED');
    expect(await lookUp(resolveTo(open, closed), { all: true }, true)).toEqual([open, closed]);
  });
  test('a name without an address is not found', async () => {
    expect(await lookUp(resolveTo())).toBe('ENOTFOUND');
  });
});
