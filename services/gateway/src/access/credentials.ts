// Reads the credential of a request: an API key or a JWT, from the headers that clients of different families use.
import { MillraceError, type Identity } from '@millrace/contracts';

/** @throws credentials-refused */
export type VerifyIdentity = (credential: string) => Promise<Identity>;

/** Longer credentials are refused before they are verified. */
const MAX_CREDENTIAL_CHARS = 8_192;

/**
 * Reads `Authorization: Bearer`, or `x-api-key` and `api-key`, which some clients send instead. A query string is not
 * read, because servers log it.
 * @throws credentials-refused
 */
export function readCredential(headers: Headers): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
  const credential = bearer ?? headers.get('x-api-key') ?? headers.get('api-key') ?? undefined;
  if (credential === undefined || credential === '')
    throw new MillraceError('credentials-refused', 'The request has no API key.', {
      remedy: 'Send "Authorization: Bearer mk_…". `millrace api-keys create` creates a key.',
    });
  if (credential.length > MAX_CREDENTIAL_CHARS)
    throw new MillraceError('credentials-refused', 'The credential is too long.');
  return credential;
}
