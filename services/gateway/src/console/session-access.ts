// Adds the credential of a session to the headers of a request of the console.
import { MillraceError } from '@millrace/contracts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { checkSameOrigin, readSessionId } from './session-cookie.ts';

type SessionRequest = Pick<Request, 'method' | 'headers'>;

const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'api-key'];
const hasCredential = (headers: Headers): boolean => CREDENTIAL_HEADERS.some((name) => headers.has(name));

/**
 * Returns the headers of the request, with the credential of its session if the request has no credential of its own.
 * @throws origin-refused, credentials-refused if the session is over
 */
export async function addSessionCredential(
  request: SessionRequest,
  { sessions }: Pick<GatewayContext, 'sessions'>,
): Promise<Headers> {
  const { headers } = request;
  const id = readSessionId(headers);
  if (id === undefined || hasCredential(headers)) return headers;
  checkSameOrigin(request);
  const credential = await sessions.read(id);
  if (credential === undefined)
    throw new MillraceError('credentials-refused', 'The session is over.', { remedy: 'Sign in again.' });
  const added = new Headers(headers);
  added.delete('cookie');
  added.set('authorization', `Bearer ${credential}`);
  return added;
}

/** Refuses a session for a route that hands its rights on: a token of NATS would outlive the sign-out. @throws scope-missing */
export function refuseSession({ headers }: SessionRequest): void {
  if (hasCredential(headers)) return;
  throw new MillraceError('scope-missing', 'A session of the console has no right to this route.', {
    remedy: 'Send an API key: "Authorization: Bearer mk_…".',
  });
}

/** Ends the session of a request whose credential was refused: the key was revoked, or has expired. */
export async function endRefusedSession(
  { headers }: SessionRequest,
  error: unknown,
  { sessions }: Pick<GatewayContext, 'sessions'>,
): Promise<void> {
  const id = readSessionId(headers);
  if (id === undefined || !MillraceError.isInstance(error) || error.code !== 'credentials-refused') return;
  await sessions.close(id).catch(() => undefined);
}
