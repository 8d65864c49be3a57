// Verifies credentials: API keys by the store, JWT by the key set of their issuer. A caller of auth receives one and
// the same error for every refusal; the log has the reason.
import { MillraceError, type Identity } from '@millrace/contracts';
import { isApiKey, isSecret, parseApiKey } from '@millrace/identity';
import { isJwt, type VerifyJwt } from './jwt/verify-jwt.ts';
import { isExpired, toIdentity } from './keys/key-rules.ts';
import type { KeyStore } from './keys/key-store.ts';

export type RefusedCredential = { refused: string; keyId?: string };
export type VerifyResult = { ok: Identity } | RefusedCredential;
export type VerifyCredential = (credential: string) => Promise<VerifyResult>;

/** Hash of no secret: an unknown id has its secret compared, too. Its look-up in the bucket takes longer, and ids are no secrets. */
const NO_HASH = '0'.repeat(64);

/** @param verifyJwt absent: every JWT is refused */
export function createCredentialVerifier(
  store: Pick<KeyStore, 'find'>,
  verifyJwt: VerifyJwt | undefined,
): VerifyCredential {
  return async (credential) => {
    if (isApiKey(credential)) return verifyKey(store, credential);
    if (!isJwt(credential)) return { refused: 'the credential is neither an API key nor a JWT' };
    if (!verifyJwt) return { refused: 'no issuer of JWT is configured' };
    const verified = await verifyJwt(credential);
    if ('ok' in verified && hasPassed(verified.ok)) return { refused: 'the token has expired' };
    return verified;
  };
}

const hasPassed = ({ expiresAt }: Identity): boolean => expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();

async function verifyKey(store: Pick<KeyStore, 'find'>, credential: string): Promise<VerifyResult> {
  const key = parseApiKey(credential);
  if (!key) return { refused: 'the API key is malformed' };
  const { id: keyId, secret } = key;
  const record = await store.find(keyId);
  const isRight = isSecret(secret, record?.sha256 ?? NO_HASH);
  if (!record) return { refused: 'the API key is unknown or revoked', keyId };
  if (!isRight) return { refused: 'the secret of the API key is wrong', keyId };
  if (isExpired(record, Date.now())) return { refused: 'the API key has expired', keyId };
  return { ok: toIdentity(record) };
}

export function createRefusedError(): MillraceError {
  return new MillraceError('credentials-refused', 'The API key or token is refused.', {
    remedy: 'Use a key that is neither revoked nor expired (millrace api-keys create), or a new token of your issuer.',
  });
}
