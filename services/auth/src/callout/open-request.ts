// Opens a request of the auth callout: decrypts it, and verifies that the server that it names has signed it. Pure.
import { verifyNatively } from '@millrace/bus';
import type { KeyPair } from '@nats-io/nkeys';
import { z } from 'zod';
import type { RefusedCredential } from '../verify-credential.ts';

const requestSchema = z.object({
  aud: z.literal('nats-authorization-request'),
  iss: z.string(),
  exp: z.number().optional(),
  nats: z.object({
    server_id: z.object({ id: z.string().regex(/^N[A-Z2-7]{55}$/) }),
    user_nkey: z.string().regex(/^U[A-Z2-7]{55}$/),
    connect_opts: z.object({ auth_token: z.string().optional(), pass: z.string().optional() }),
  }),
});
export type CalloutRequest = z.infer<typeof requestSchema>['nats'];

/** Difference of the clocks of NATS and auth that delays no connection. */
const MAX_SKEW_MS = 3_000;
const TOO_LATE = 'NATS has given up the request of the callout, or its clock differs from that of auth';

export type SealedRequest = {
  data: Uint8Array;
  /** Public encryption key of the server. */
  serverKey: string;
  encryption: KeyPair;
  /** ms since 1970. */
  now: number;
};

/** `refused`: why the request is ignored. */
export function openCalloutRequest({
  data,
  serverKey,
  encryption,
  now,
}: SealedRequest): { ok: CalloutRequest } | RefusedCredential {
  try {
    const opened = encryption.open(data, serverKey);
    if (!opened) return { refused: 'the request of the callout cannot be decrypted' };
    const [head = '', payload = '', signature = '', ...rest] = new TextDecoder().decode(opened).split('.');
    const { iss, exp, nats } = requestSchema.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
    // Under a flood of connections the server has given up on the oldest: an answer would delay the others.
    if (exp !== undefined && exp * 1_000 + MAX_SKEW_MS < now) return { refused: TOO_LATE };
    const isOwn = iss === nats.server_id.id && rest.length === 0;
    const isSigned =
      isOwn && verifyNatively(iss, Buffer.from(`${head}.${payload}`), Buffer.from(signature, 'base64url'));
    return isSigned ? { ok: nats } : { refused: 'the request of the callout is not signed by its server' };
  } catch {
    return { refused: 'the request of the callout is invalid: its keys are not those of this service' };
  }
}
