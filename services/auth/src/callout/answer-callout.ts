// Answers the auth callout of NATS: the server sends the options of a connection, and auth returns a signed user with
// its permissions, or a refusal. Requests and answers are encrypted between the server and auth.
import { MillraceError, type Subjects } from '@millrace/contracts';
import type { ServerRequest } from '@millrace/bus';
import { decode, encodeAuthorizationResponse, encodeUser } from '@nats-io/jwt';
import { z } from 'zod';
import type { Refused, VerifyCredential } from '../verify-credential.ts';
import type { Signer } from './callout-config.ts';
import { describeUser, type DescribedUser } from './describe-user.ts';

/** Account of the users of a configuration without accounts. Streams and services are there. */
const ACCOUNT = '$G';
const SERVER_KEY_HEADER = 'Nats-Server-Xkey';
const AUDIENCE = 'nats-authorization-request';
/** Subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 1_000;

const requestSchema = z.object({
  aud: z.literal(AUDIENCE),
  iss: z.string(),
  nats: z.object({
    server_id: z.object({ id: z.string().regex(/^N[A-Z2-7]{55}$/) }),
    user_nkey: z.string().regex(/^U[A-Z2-7]{55}$/),
    connect_opts: z.object({ auth_token: z.string().optional(), pass: z.string().optional() }),
  }),
});
type CalloutRequest = z.infer<typeof requestSchema>['nats'];

export type CalloutOptions = {
  subjects: Subjects;
  signer: () => Signer;
  verify: VerifyCredential;
  reportRefusal: (refused: Refused) => void;
};

/** @returns undefined for a request that no server of this configuration can have sent */
export async function answerCallout(
  { data, getHeader }: ServerRequest,
  { subjects, signer, verify, reportRefusal }: CalloutOptions,
): Promise<Uint8Array | undefined> {
  const { issuer, encryption } = signer();
  const serverKey = getHeader(SERVER_KEY_HEADER);
  const request = openRequest(data, serverKey, encryption);
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

function openRequest(
  data: Uint8Array,
  serverKey: string,
  encryption: Signer['encryption'],
): { ok: CalloutRequest } | Refused {
  try {
    const opened = encryption.open(data, serverKey);
    if (!opened) return { refused: 'the request of the callout cannot be decrypted' };
    const { aud, iss, nats } = requestSchema.parse(decode(new TextDecoder().decode(opened)));
    // The signature is that of `iss`: only the server itself signs for its id.
    return aud === AUDIENCE && iss === nats.server_id.id
      ? { ok: nats }
      : { refused: 'the request of the callout is not signed by its server' };
  } catch {
    return { refused: 'the request of the callout is invalid: its keys are not those of this service' };
  }
}

async function describe(
  credential: string,
  { subjects, verify }: Pick<CalloutOptions, 'subjects' | 'verify'>,
): Promise<{ ok: DescribedUser } | Refused> {
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
