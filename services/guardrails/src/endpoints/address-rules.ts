// Decides which addresses a guard may connect to. The service resolves a name once, checks every address, and connects
// to a checked one: a name that resolves to another address for a second lookup (DNS rebinding) gains nothing.
import ipaddr from 'ipaddr.js';
import { lookup as resolveName, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Ranges that an endpoint with `allowPrivate` may use in addition to public addresses. */
const PRIVATE: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/** Metadata services in ranges that are public or private; all others are link-local, and never allowed. */
const METADATA: ReadonlySet<string> = new Set(['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']);
/** Global unicast, RFC 4291. Other addresses of the range "unicast" are not assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Allows public addresses, and private ones if the operator does. An IPv4-mapped address counts as its IPv4 address. */
export function isAllowedAddress(text: string, allowPrivate: boolean): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (METADATA.has(address.toString())) return false;
  const range = address.range();
  if (allowPrivate && PRIVATE.has(range)) return true;
  if (range !== 'unicast') return false;
  return !(address instanceof ipaddr.IPv6) || address.match(GLOBAL_UNICAST);
}

/** As `dns.lookup` with `all`. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;
export const ADDRESS_REFUSED = 'ADDRESS_REFUSED';

/**
 * Resolves a name for a connection. Fails with ADDRESS_REFUSED if one of its addresses is not allowed, because a public
 * name with a private address is not a configuration that an operator wants.
 */
export function createCheckedLookup(allowPrivate: boolean, resolve: ResolveName = resolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      const [first] = error ? [] : found;
      if (error || !first) return callback(error ?? createLookupError(hostname, 'ENOTFOUND'), '', 0);
      if (!found.every(({ address }) => isAllowedAddress(address, allowPrivate)))
        return callback(createLookupError(hostname, ADDRESS_REFUSED), '', 0);
      if (options.all) return callback(null, found);
      callback(null, first.address, first.family);
    });
  };
}

const createLookupError = (hostname: string, code: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`no allowed address of ${hostname}`), { code });
