// Exchanges a credential for a bus token: a page connects to NATS with it, and never receives the key of its server. A
// token has rights of the credential, for one caller, and ends with it.
import {
  MillraceError,
  toWireError,
  type ExchangeReply,
  type ExchangeRequest,
  type Identity,
} from '@millrace/contracts';
import type { KeyPair } from '@nats-io/nkeys';
import type { RefusedCredential, VerifyCredential } from '../verify-credential.ts';
import { createRefusedError } from '../verify-credential.ts';
import { spellBusToken } from './bus-token.ts';

export type ExchangeParts = {
  /** Verifies API keys and JWT: no token is exchanged for another one. */
  verify: VerifyCredential;
  getIssuer: () => KeyPair;
  reportRefusal: (refused: RefusedCredential) => void;
};

export function createExchange({ verify, getIssuer, reportRefusal }: ExchangeParts) {
  return async (request: ExchangeRequest): Promise<ExchangeReply> => {
    try {
      const verified = await verify(request.credential);
      if ('ok' in verified) return { ok: exchange(verified.ok, request, getIssuer()) };
      reportRefusal(verified);
      return { error: toWireError(createRefusedError()) };
    } catch (error) {
      if (!MillraceError.isInstance(error)) throw error;
      return { error: toWireError(error) };
    }
  };
}

/** @throws scope-missing */
function exchange(identity: Identity, { scopes, subject, ttlSeconds }: ExchangeRequest, issuer: KeyPair) {
  const { tenant, keyId, expiresAt } = identity;
  // NATS could enforce neither.
  if (identity.agents || identity.limits)
    throw createRefusal('A key with agents or limits cannot be exchanged for a bus token.', 'Use a key without them.');
  const missing = scopes.filter((scope) => !identity.scopes.includes(scope));
  if (missing.length > 0)
    throw createRefusal(
      `The credential does not have the scope ${missing.join(', ')}.`,
      'Request scopes of the credential.',
    );
  const owner = chooseSubject(identity, subject);
  const end = Math.min(Date.now() + ttlSeconds * 1_000, expiresAt === undefined ? Infinity : Date.parse(expiresAt));
  const claims = { tenant, subject: owner, scopes, expiresAt: new Date(end).toISOString() };
  const token = spellBusToken({ v: 1, ...claims, ...(keyId !== undefined && { keyId }) }, issuer);
  return { token, ...claims };
}

/** @throws scope-missing */
function chooseSubject(identity: Identity, wanted = identity.subject): string {
  if (wanted === undefined)
    throw createRefusal(
      'The credential has no subject.',
      'Name the subject of the token; the credential needs the scope act-as.',
    );
  if (wanted === identity.subject || identity.scopes.includes('act-as')) return wanted;
  throw createRefusal('The credential does not have the scope act-as.', 'Leave the subject out.');
}

const createRefusal = (message: string, remedy: string): MillraceError =>
  new MillraceError('scope-missing', message, { remedy });
