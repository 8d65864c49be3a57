// Spells and reads bus tokens: `mt_<payload>.<signature>`, with the identity of an end client in the payload. auth signs
// them, and NATS receives them as the token of a connection. They are stored nowhere, so the time of a token is short.
import { exchangeScopesSchema, keyIdSchema, threadIdSchema, tokenSchema, type Identity } from '@millrace/contracts';
import { verifyNatively } from '@millrace/bus';
import type { KeyPair } from '@nats-io/nkeys';
import { z } from 'zod';

const claimsSchema = z.strictObject({
  v: z.literal(1),
  tenant: tokenSchema,
  subject: threadIdSchema,
  scopes: exchangeScopesSchema,
  expiresAt: z.iso.datetime(),
  keyId: keyIdSchema.optional().describe('the key that the token was exchanged for; absent: a JWT'),
});
export type BusTokenClaims = z.output<typeof claimsSchema>;

const PREFIX = 'mt_';
export const isBusToken = (credential: string): boolean => credential.startsWith(PREFIX);

/** The issuer signs users of NATS too: a JWT contains no colon, so that no signature fits both. */
const encodeSignedBytes = (payload: string): Buffer => Buffer.from(`millrace-bus-token:${payload}`);

export function spellBusToken(claims: BusTokenClaims, issuer: KeyPair): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${PREFIX}${payload}.${Buffer.from(issuer.sign(encodeSignedBytes(payload))).toString('base64url')}`;
}

/** @param now ms since 1970 @returns `refused`: the reason, for the log */
export function readBusToken(
  token: string,
  issuer: Pick<KeyPair, 'getPublicKey'>,
  now: number,
): { ok: Identity } | { refused: string } {
  const [payload = '', signature = '', ...rest] = token.slice(PREFIX.length).split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const isSigned = rest.length === 0 && verifyNatively(issuer.getPublicKey(), encodeSignedBytes(payload), bytes);
  if (!isSigned) return { refused: 'the bus token is not signed by this auth' };
  const claims = claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  if (!claims.success) return { refused: 'the bus token is of another version' };
  const { v: _, ...identity } = claims.data;
  if (Date.parse(identity.expiresAt) <= now) return { refused: 'the bus token has expired' };
  return { ok: identity };
}
