// Verifies a JWT: its signature by the key set of the configured issuer, its issuer, audience and time. The algorithms
// are those of the configuration, never that of the token.
import { MillraceError } from '@millrace/contracts';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
} from 'jose';
import { createKeySetFetch } from './fetch-key-set.ts';
import type { JwtSettings, KeySet } from './jwt-config.ts';
import { readClaims, type ClaimedIdentity } from './read-claims.ts';

export type VerifyJwt = (token: string) => Promise<ClaimedIdentity>;

const FETCH_TIMEOUT_MS = 5_000;
/** The set is fetched again for an unknown key after this time at the earliest. */
const COOLDOWN_MS = 30_000;
const MAX_AGE_MS = 600_000;
/**
 * Tokens that wait for the key set at the same time. An issuer that does not answer would otherwise take all places of
 * the auth callout, and API keys would be refused.
 */
const MAX_WAITING = 64;

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Returns true for a text of the form of a signed JWT. */
export const isJwt = (credential: string): boolean => JWT.test(credential);

/** @throws config-invalid for a key set that is no JWKS */
export function createJwtVerifier({ issuer, audience, algorithms, keySet, claims }: JwtSettings): VerifyJwt {
  const { getKey, isLoaded } = openKeySet(keySet);
  let waiting = 0;
  const options = { issuer, audience, algorithms: [...algorithms], requiredClaims: ['exp', 'iss', 'aud'] };
  const verify: VerifyJwt = async (token) => {
    try {
      const { payload } = await jwtVerify(token, getKey, options);
      return readClaims(payload, claims);
    } catch (error) {
      const refused = explainRefusal(error);
      if (refused === undefined) throw createOutageError(keySet, error);
      return { refused };
    }
  };
  return async (token) => {
    if (isLoaded(token)) return verify(token);
    if (waiting >= MAX_WAITING) throw createBusyError();
    waiting += 1;
    return verify(token).finally(() => (waiting -= 1));
  };
}

type OpenKeySet = {
  getKey: JWTVerifyGetKey;
  /** Returns whether the key that the token names is known, so that its verification waits for nothing. */
  isLoaded: (token: string) => boolean;
};

function openKeySet(keySet: KeySet): OpenKeySet {
  if ('url' in keySet) {
    const times = { timeoutDuration: FETCH_TIMEOUT_MS, cooldownDuration: COOLDOWN_MS, cacheMaxAge: MAX_AGE_MS };
    const getKey = createRemoteJWKSet(new URL(keySet.url), { ...times, [customFetch]: createKeySetFetch() });
    const isLoaded = (token: string) =>
      getKey.fresh && (getKey.jwks()?.keys ?? []).some(({ kid }) => kid === readKeyId(token));
    return { getKey, isLoaded };
  }
  try {
    return { getKey: createLocalJWKSet(JSON.parse(keySet.text)), isLoaded: () => true };
  } catch (cause) {
    throw new MillraceError('config-invalid', `The file ${keySet.file} contains no JSON Web Key Set.`, {
      path: 'AUTH_JWT_JWKS_FILE',
      cause,
      remedy: 'Use a file with {"keys": […]}, as the jwks_uri of the issuer answers it.',
    });
  }
}

/** Returns the key that the header of the token names, unverified. */
function readKeyId(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

const createBusyError = (): MillraceError =>
  new MillraceError('too-many-requests', `${MAX_WAITING} tokens wait for the key set of their issuer.`, {
    remedy: 'Try again; if the error persists, check the identity provider.',
  });

/** Errors of the token, by the codes of jose; others are errors of the key set. */
const OF_TOKEN: ReadonlySet<string> = new Set([
  errors.JWTClaimValidationFailed.code,
  errors.JWTExpired.code,
  errors.JWTInvalid.code,
  errors.JOSEAlgNotAllowed.code,
  errors.JOSENotSupported.code,
  errors.JWSInvalid.code,
  errors.JWSSignatureVerificationFailed.code,
  errors.JWKSNoMatchingKey.code,
  errors.JWKSMultipleMatchingKeys.code,
]);

function explainRefusal(error: unknown): string | undefined {
  if (!(error instanceof errors.JOSEError) || !OF_TOKEN.has(error.code)) return undefined;
  const claim = error instanceof errors.JWTClaimValidationFailed ? ` (${error.claim})` : '';
  return `${error.code}${claim}`;
}

function createOutageError(keySet: KeySet, cause: unknown): MillraceError {
  const where = 'url' in keySet ? new URL(keySet.url).host : keySet.file;
  const because = cause instanceof Error ? cause.message : String(cause);
  return new MillraceError('key-set-unavailable', `The key set at ${where} cannot be used: ${because}`, {
    cause,
    remedy: 'Try again; if the error persists, check AUTH_JWT_JWKS_URL and the identity provider.',
  });
}
