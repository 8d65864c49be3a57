// Describes the user of NATS that a credential becomes: the rights of an end client, whatever else the credential may.
// Pure, apart from the hash of the caller.
import { API, API_VERBS, hashCaller, isOperatorVerb, type Identity } from '@millrace/contracts';
import type { Subjects } from '@millrace/contracts';
import { describePermissions, permitCaller } from '@millrace/identity';

export type DescribedUser = {
  /** Names the credential, so that its connections can be found again. */
  name: string;
  permissions: ReturnType<typeof describePermissions>;
  /** Seconds since 1970. */
  expiresAt: number;
};

/** NATS ends a connection after this time; its client connects again, and is verified again. */
const MAX_AGE_MS = 24 * 3_600_000;

const NAME_OF_KEY = 'key:';

/** Name of the users of NATS that an API key becomes. */
export const nameKeyUser = (keyId: string): string => `${NAME_OF_KEY}${keyId}`;
/** Returns the id of the key; undefined for every other user. */
export const readKeyUser = (name: string): string | undefined =>
  name.startsWith(NAME_OF_KEY) ? name.slice(NAME_OF_KEY.length) : undefined;

/** @param now ms since 1970 @returns `refused`: why NATS refuses the credential although it is valid */
export async function describeUser(
  identity: Identity,
  { subjects, now }: { subjects: Subjects; now: number },
): Promise<{ ok: DescribedUser } | { refused: string }> {
  const { tenant, subject, scopes, agents, limits, keyId, expiresAt } = identity;
  // NATS could enforce neither: a verb is a subject, and an agent is not.
  if (agents) return { refused: 'a key that is limited to agents is for the gateway' };
  if (limits) return { refused: 'a key with limits is for the gateway' };
  if (subject === undefined) return { refused: 'a key without a subject is for the gateway' };
  const verbs = API_VERBS.filter((verb) => scopes.includes(API[verb].scope) && !isOperatorVerb(verb));
  if (verbs.length === 0) return { refused: 'no scope of the key is one of end clients: run, read, answer' };
  const caller = await hashCaller(tenant, subject);
  const expiry = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
  return {
    ok: {
      name: keyId === undefined ? `jwt:${caller}` : nameKeyUser(keyId),
      permissions: describePermissions(caller, permitCaller(subjects, { tenant, caller, verbs })),
      expiresAt: Math.floor(Math.min(expiry, now + MAX_AGE_MS) / 1_000),
    },
  };
}
