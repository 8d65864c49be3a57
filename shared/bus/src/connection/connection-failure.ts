// Explains why the first connection to NATS failed, without secrets: refused credentials, TLS, or no server.
import { MillraceError, hideAddressParts } from '@millrace/contracts';
import { AuthorizationError, TimeoutError, UserAuthenticationExpiredError } from 'nats';
import type { BusTls } from './connection-settings.ts';
import type { ServerAddress } from './server-address.ts';

type TriedConnection = { address: ServerAddress; publicKey: string | undefined; tls: BusTls | undefined };
/** `isPermanent`: a later attempt with the same configuration would fail too. */
export type ConnectionFailure = { error: MillraceError; isPermanent: boolean };

/** The server reports a login that it did not receive in time as a refusal, too. */
const isLate = (error: unknown): boolean => error instanceof AuthorizationError && /timeout/i.test(error.message);

export const isCredentialError = (error: unknown): error is Error =>
  (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) && !isLate(error);

export function explainFailure(cause: unknown, tried: TriedConnection): ConnectionFailure {
  const where = hideAddressParts(tried.address.servers.join(','));
  if (isCredentialError(cause)) return { error: createRefusedError(cause, where, tried), isPermanent: true };
  if (isLate(cause)) {
    const error = new MillraceError('bus-unreachable', `The NATS server at ${where} ended a slow login.`, {
      cause,
      remedy: 'Check the load of both machines. authorization.timeout in the configuration of NATS is its limit, in s.',
    });
    return { error, isPermanent: false };
  }
  const problem = findTlsProblem(cause);
  if (problem !== undefined) {
    const error = new MillraceError('bus-unreachable', `The connection to ${where} failed: ${problem}.`, {
      cause,
      remedy: TLS_REMEDY,
    });
    return { error, isPermanent: true };
  }
  const mayNeedCertificate = cause instanceof TimeoutError && tried.tls && tried.tls.certFile === undefined;
  const error = new MillraceError('bus-unreachable', `No NATS server answers at ${where}.`, {
    cause,
    remedy: mayNeedCertificate
      ? 'If the server verifies the certificates of its clients, set NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE.'
      : 'Start the stack (npm start), or set NATS_URL to its address.',
  });
  return { error, isPermanent: false };
}

const TLS_REMEDY =
  'Set NATS_TLS_CA_FILE to the certificate authority of the server; NATS_TLS is for servers that offer TLS only.';

function createRefusedError(cause: Error, where: string, { address, publicKey }: TriedConnection): MillraceError {
  const { user, token } = address;
  const given = user === undefined && token === undefined ? undefined : 'user name, password or token';
  const identity = publicKey === undefined ? given : `public key ${publicKey}`;
  return new MillraceError(
    'credentials-refused',
    `The NATS server at ${where} refuses the connection${identity === undefined ? ' without credentials' : ''}: ${cause.message}.`,
    {
      cause,
      remedy:
        identity === undefined
          ? 'Set NATS_NKEY_FILE, NATS_CREDS_FILE, or NATS_USER and NATS_PASSWORD.'
          : `Add the ${identity} to the users in the configuration of NATS, or connect with other credentials.`,
    },
  );
}

/** Returns the problem if the server has no TLS, or one side rejects the certificate of the other. */
function findTlsProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause.message.includes("does not support 'tls'")) return 'the server does not offer TLS';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return /CERT|^ERR_(?:SSL|TLS|OSSL)/.test(code) || /certificate/i.test(cause.message) ? cause.message : undefined;
}
