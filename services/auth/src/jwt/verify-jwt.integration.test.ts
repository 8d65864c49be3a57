// Verifies tokens against the key set of a real HTTP server.
import { MillraceError } from '@millrace/contracts';
import { SignJWT, UnsecuredJWT, exportSPKI, generateKeyPair } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDIENCE, ISSUER, openIssuer, type Issuer } from '../testing/issuer.ts';
import type { JwtSettings } from './jwt-config.ts';
import { createJwtVerifier, isJwt } from './verify-jwt.ts';

let issuer: Issuer;
beforeAll(async () => void (issuer = await openIssuer()));
afterAll(() => issuer.close());

const createSettings = (more: Partial<JwtSettings> = {}): JwtSettings => ({
  issuer: ISSUER,
  audience: AUDIENCE,
  algorithms: ['ES256'],
  keySet: { url: issuer.url },
  claims: {
    tenant: 'acme',
    tenantClaim: undefined,
    subjectClaim: 'sub',
    scopesClaim: 'scope',
    scopes: { run: ['run'], read: ['read'] },
  },
  ...more,
});
const claims = { sub: 'ada', scope: 'run read' };
const verify = (token: string, more: Partial<JwtSettings> = {}) => createJwtVerifier(createSettings(more))(token);

test('A token of the issuer has its identity, and the key set is fetched once', async () => {
  const token = await issuer.sign(claims);
  expect(isJwt(token)).toBe(true);
  const before = issuer.countFetches();
  const verifyToken = createJwtVerifier(createSettings());
  for (let n = 0; n < 3; n += 1)
    expect(await verifyToken(token)).toMatchObject({
      ok: { tenant: 'acme', subject: 'ada', scopes: ['run', 'read'], expiresAt: expect.stringContaining('Z') },
    });
  expect(issuer.countFetches() - before).toBe(1);
});

test('A key set out of a file verifies the same tokens', async () => {
  const text = await (await fetch(issuer.url)).text();
  expect(await verify(await issuer.sign(claims), { keySet: { file: 'jwks.json', text } })).toHaveProperty('ok');
});

test.each<[string, () => Promise<string>]>([
  ['another issuer', () => issuer.sign(claims, { issuer: 'https://evil.example' })],
  ['another audience', () => issuer.sign(claims, { audience: 'billing' })],
  ['a past expiry', () => issuer.sign(claims, { expiresIn: new Date(Date.now() - 1_000) })],
  ['an unknown key', () => issuer.sign(claims, { kid: 'k2' })],
  ['the key of a stranger', async () => issuer.sign(claims, { key: (await generateKeyPair('ES256')).privateKey })],
  [
    'no signature',
    async () => new UnsecuredJWT(claims).setIssuer(ISSUER).setAudience(AUDIENCE).setExpirationTime('5m').encode(),
  ],
  ['alg none and a signature', async () => replaceHeader(await issuer.sign(claims), { alg: 'none' })],
  ['a changed payload', async () => replacePart(await issuer.sign(claims), 1, { ...claims, scope: 'admin' })],
  ['no expiry', () => signWithoutExpiry()],
  ['no scope', () => issuer.sign({ sub: 'ada' })],
])('A token with %s is refused', async (_, createToken) => {
  expect(await verify(await createToken())).toEqual({ refused: expect.any(String) });
});

test('A token that is signed with the public key as the secret of HS256 is refused', async () => {
  const { publicKey } = await generateKeyPair('ES256');
  const secret = new TextEncoder().encode(await exportSPKI(publicKey));
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).setIssuer(ISSUER);
  const signed = await token.setAudience(AUDIENCE).setExpirationTime('5m').sign(secret);
  expect(await verify(signed)).toEqual({ refused: expect.any(String) });
});

test('A key set that cannot be fetched is an outage and no refusal of the token', async () => {
  const gone = await openIssuer();
  const token = await gone.sign(claims);
  await gone.close();
  const failing = verify(token, { keySet: { url: gone.url } });
  await expect(failing).rejects.toMatchObject({ code: 'key-set-unavailable' });
  await expect(failing).rejects.toSatisfy((error) => MillraceError.isInstance(error) && !error.message.includes(token));
});

test('A file that contains no key set is rejected at the start', () => {
  const open = () => createJwtVerifier(createSettings({ keySet: { file: 'jwks.json', text: '[]' } }));
  expect(open).toThrow(expect.objectContaining({ code: 'config-invalid', path: 'AUTH_JWT_JWKS_FILE' }));
});

const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const replacePart = (token: string, at: number, part: object) => token.split('.').with(at, encodePart(part)).join('.');
const replaceHeader = (token: string, header: object) => replacePart(token, 0, header);

async function signWithoutExpiry(): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' });
  return token.setIssuer(ISSUER).setAudience(AUDIENCE).sign(privateKey);
}
