// Defines the caller, the token of a subject that identifies the origin of a request. The permissions of the bus allow
// a user the subjects of its own caller only; no receiver reads a caller from a payload.
import { setBounded } from '../base/set-bounded.ts';

/** The caller of operators: the command line, the tour, keys with the scope `operate`. Its requests see all callers. */
export const OPERATOR_CALLER = 'operator';

export const isOperator = (caller: string): boolean => caller === OPERATOR_CALLER;

/** Returns the caller that owns a run. Runs of operators name none, and so do those of versions without callers. */
export const readOwner = ({ caller = OPERATOR_CALLER }: { caller?: string | undefined }): string => caller;

/** The tenant and the caller that a run belongs to: limits of a tenant have shares of its callers. */
export type RunParty = { tenant: string; caller: string };

export const readParty = ({ tenant, caller }: { tenant: string; caller?: string | undefined }): RunParty => ({
  tenant,
  caller: readOwner({ caller }),
});

/** Bytes of the hash: two identities of a tenant share a caller with a probability of 2^-128. */
const HASH_BYTES = 16;

/**
 * Returns the caller of an identity: `c` and 32 hexadecimal digits of SHA-256, so that it is a token, differs from
 * `operator`, and reveals no name.
 * @param subject of the identity, such as the `sub` of a JWT: 1 to 200 printable ASCII characters
 */
export function hashCaller(tenant: string, subject: string): Promise<string> {
  const identity = JSON.stringify([tenant, subject]);
  const known = hashes.get(identity);
  if (known) return known;
  const made = hashIdentity(identity);
  setBounded(hashes, identity, made, MAX_HASHES);
  return made;
}

/** A digest runs in another thread, which takes a request longer than the digest itself. */
const hashes = new Map<string, Promise<string>>();
const MAX_HASHES = 1_000;

async function hashIdentity(identity: string): Promise<string> {
  const text = new TextEncoder().encode(identity);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  const digits = Array.from(hash.subarray(0, HASH_BYTES), (byte) => byte.toString(16).padStart(2, '0'));
  return `c${digits.join('')}`;
}
