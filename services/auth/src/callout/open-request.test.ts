import { encodeGeneric } from '@nats-io/jwt';
import { createCurve, createServer, createUser } from '@nats-io/nkeys';
import { expect, test } from 'vitest';
import { openCalloutRequest } from './open-request.ts';

const [auth, serverCurve, server, user] = [createCurve(), createCurve(), createServer(), createUser()];
const serverKey = serverCurve.getPublicKey();
const now = Date.parse('2026-06-01T00:00:00.000Z');

type Given = { aud?: string; exp?: number; signer?: typeof server; id?: string; opts?: object };

async function sign({ aud = 'nats-authorization-request', exp, signer = server, id, opts = {} }: Given = {}) {
  const data = {
    server_id: { id: id ?? server.getPublicKey() },
    user_nkey: user.getPublicKey(),
    connect_opts: { auth_token: 'secret', protocol: 1, ...opts },
  };
  return encodeGeneric('x', signer, 'authorization_request', data, { aud, ...(exp !== undefined && { exp }) });
}
const seal = (text: string) => serverCurve.seal(new TextEncoder().encode(text), auth.getPublicKey());
const open = (data: Uint8Array, more: { serverKey?: string } = {}) =>
  openCalloutRequest({ data, serverKey, encryption: auth, now, ...more });

test('A request of its server is opened', async () => {
  expect(open(seal(await sign({ exp: now / 1_000 + 2 })))).toMatchObject({
    ok: { connect_opts: { auth_token: 'secret' }, user_nkey: user.getPublicKey() },
  });
});

test.each<[string, Given]>([
  ['another audience', { aud: 'other' }],
  ['the signature of another server', { signer: createServer() }],
  ['the name of another server', { id: createServer().getPublicKey() }],
  ['a server that is no server', { id: user.getPublicKey() }],
  ['a past expiry', { exp: now / 1_000 - 4 }],
  ['a token that is no text', { opts: { auth_token: 7 } }],
])('A request with %s is ignored', async (_, given) => {
  expect(open(seal(await sign(given)))).toEqual({ refused: expect.any(String) });
});

test('A request that is changed, sealed for another key, in plain text or by an unknown key is ignored', async () => {
  const text = await sign();
  const changed = text.replace(/\.([^.])/, (_, first: string) => `.${first === 'e' ? 'f' : 'e'}`);
  const other = serverCurve.seal(new TextEncoder().encode(text), createCurve().getPublicKey());
  for (const data of [seal(changed), seal(`${text}.x`), seal('{}'), other, Buffer.from(text), new Uint8Array()])
    expect(open(data)).toEqual({ refused: expect.any(String) });
  for (const key of ['', 'X', createCurve().getPublicKey(), user.getPublicKey()])
    expect(open(seal(text), { serverKey: key })).toEqual({ refused: expect.any(String) });
});
