// Converts the request of a key to its record, and a record to an identity. Refuses requests that contradict
// themselves: such a key would never be accepted, or would have other rights than its creator expects. Pure.
import {
  MillraceError,
  type Identity,
  type KeyRecord,
  type KeyRequest,
  type Scope,
  type ShownKey,
} from '@millrace/contracts';
import { hashSecret, type ApiKey } from '@millrace/identity';

/** Rights that a caller has on its own runs and memory. */
const OWN: readonly Scope[] = ['run', 'read', 'answer'];
const MAX_YEARS = 10;
const YEAR_MS = 366 * 24 * 3_600_000;

/** @param now ms since 1970 @throws key-invalid */
export function createKeyRecord(tenant: string, request: KeyRequest, key: ApiKey, now: number): KeyRecord {
  checkSubject(request);
  checkRestrictions(request);
  checkExpiry(request, now);
  const createdAt = new Date(now).toISOString();
  return { ...request, v: 1, id: key.id, tenant, sha256: hashSecret(key.secret), createdAt };
}

/** The subject determines the caller that owns the runs of the key. */
function checkSubject({ subject, scopes }: KeyRequest): void {
  if (subject !== undefined || scopes.includes('operate') || scopes.includes('act-as')) return;
  const own = scopes.filter((scope) => OWN.includes(scope));
  if (own.length === 0) return;
  throw createRefusal('subject', `A key with the scope ${own.join(', ')} needs a subject.`, {
    remedy: 'Name the identity that owns its runs, or add the scope act-as or operate.',
  });
}

function checkRestrictions({ scopes, agents, limits }: KeyRequest): void {
  if (agents !== undefined && !scopes.includes('run')) {
    throw createRefusal('agents', 'The key lists agents, and has no scope run.', {
      remedy: 'Add the scope run, or leave the agents out.',
    });
  }
  if (limits !== undefined && Object.keys(limits).length === 0) {
    throw createRefusal('limits', 'The limits are empty.', { remedy: 'Leave them out, or set one of them.' });
  }
}

function checkExpiry({ expiresAt }: KeyRequest, now: number): void {
  if (expiresAt === undefined) return;
  const remainingMs = Date.parse(expiresAt) - now;
  if (remainingMs > 0 && remainingMs <= MAX_YEARS * YEAR_MS) return;
  const problem = remainingMs > 0 ? `is more than ${MAX_YEARS} years away` : 'has passed';
  throw createRefusal('expiresAt', `The expiry ${expiresAt} ${problem}.`, {
    remedy: `Choose a time within the next ${MAX_YEARS} years, or leave it out for a key that does not expire.`,
  });
}

const createRefusal = (path: string, message: string, { remedy }: { remedy: string }): MillraceError =>
  new MillraceError('key-invalid', message, { path, remedy });

/** Returns true once the key is refused for its age. @param now ms since 1970 */
export const isExpired = ({ expiresAt }: Pick<KeyRecord, 'expiresAt'>, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;

export function toIdentity({ id, tenant, subject, scopes, agents, limits, expiresAt }: KeyRecord): Identity {
  return {
    tenant,
    ...(subject !== undefined && { subject }),
    scopes,
    ...(agents && { agents }),
    ...(limits && { limits }),
    ...(expiresAt !== undefined && { expiresAt }),
    keyId: id,
  };
}

/** Returns the record as lists show it. */
export function toShownKey({ v: _v, tenant: _tenant, sha256: _sha256, ...shown }: KeyRecord): ShownKey {
  return shown;
}
