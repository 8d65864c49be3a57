// Answers the auth callout of NATS: the server sends the options of a connection, and auth returns a signed user with
// its permissions, or a refusal. Requests and answers are encrypted between the server and auth.
import { MillraceError, type Subjects } from '@millrace/contracts';
import type { ServerRequest } from '@millrace/bus';
import { encodeAuthorizationResponse, encodeUser } from '@nats-io/jwt';
import type { RefusedCredential, VerifyCredential } from '../verify-credential.ts';
import type { Signer } from './callout-config.ts';
import { describeUser, type DescribedUser } from './describe-user.ts';
import { openCalloutRequest } from './open-request.ts';

/** Account of the users of a configuration without accounts. Streams and services are there. */
const ACCOUNT = '$G';
const SERVER_KEY_HEADER = 'Nats-Server-Xkey';
/** Subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 1_000;

export type CalloutOptions = {
  subjects: Subjects;
  getSigner: () => Signer;
  verify: VerifyCredential;
  reportRefusal: (refused: RefusedCredential) => void;
};

/** @returns undefined for a request that its server has given up, or that no server of this configuration can have sent */
export async function answerCallout(
  { data, getHeader }: ServerRequest,
  { subjects, getSigner, verify, reportRefusal }: CalloutOptions,
): Promise<Uint8Array | undefined> {
  const { issuer, encryption } = getSigner();
  const serverKey = getHeader(SERVER_KEY_HEADER);
  const request = openCalloutRequest({ data, serverKey, encryption, now: Date.now() });
  if ('refused' in request) {
    reportRefusal(request);
    return undefined;
  }
  const { server_id: server, user_nkey: user, connect_opts: given } = request.ok;
  const described = await describe(given.auth_token ?? given.pass ?? '', { subjects, verify });
  if ('refused' in described) reportRefusal(described);
  const outcome =
    'ok' in described ? { jwt: await signUser(described.ok, user, issuer) } : { error: 'the credential is refused' };
  const answer = await encodeAuthorizationResponse(user, server.id, issuer, outcome, {});
  return encryption.seal(new TextEncoder().encode(answer), serverKey);
}

async function describe(
  credential: string,
  { subjects, verify }: Pick<CalloutOptions, 'subjects' | 'verify'>,
): Promise<{ ok: DescribedUser } | RefusedCredential> {
  if (credential === '') return { refused: 'the connection has neither a key of a role nor a token' };
  try {
    const verified = await verify(credential);
    if ('refused' in verified) return verified;
    const described = await describeUser(verified.ok, { subjects, now: Date.now() });
    const { keyId } = verified.ok;
    return 'ok' in described || keyId === undefined ? described : { ...described, keyId };
  } catch (error) {
    // A store or a key set that is away: the client tries again.
    return { refused: MillraceError.isInstance(error) ? `${error.code}: ${error.message}` : 'an unexpected error' };
  }
}

function signUser({ name, permissions, expiresAt }: DescribedUser, user: string, issuer: Signer['issuer']) {
  const { publish, subscribe } = permissions;
  const rights = {
    pub: publish,
    sub: subscribe,
    subs: MAX_SUBSCRIPTIONS,
    allowed_connection_types: ['STANDARD' as const, 'WEBSOCKET' as const],
  };
  return encodeUser(name, user, issuer, rights, { aud: ACCOUNT, exp: expiresAt });
}
