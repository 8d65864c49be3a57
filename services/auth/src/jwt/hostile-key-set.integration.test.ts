// Verifies tokens while the server of the key set misbehaves: it fails, never answers, redirects, or answers without end.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AUDIENCE, ISSUER, openIssuer } from '../testing/issuer.ts';
import { createJwtVerifier } from './verify-jwt.ts';

const claims = { sub: 'ada', scope: 'run' };
const table = {
  tenant: 'acme',
  tenantClaim: undefined,
  subjectClaim: 'sub',
  scopesClaim: 'scope',
  scopes: { run: ['run' as const] },
};

/** A server between auth and the issuer. `answer` may be replaced. */
async function serveKeySet(answer: RequestListener) {
  const issuer = await openIssuer();
  const state = { answer, count: 0 };
  const server = createServer((request, response) => {
    state.count += 1;
    state.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await issuer.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
  const { port } = server.address() as AddressInfo;
  const keySet = { url: `http://127.0.0.1:${port}/jwks` };
  const verify = createJwtVerifier({
    issuer: ISSUER,
    audience: AUDIENCE,
    algorithms: ['ES256'],
    keySet,
    claims: table,
  });
  return { issuer, state, verify };
}
const outage = { code: 'key-set-unavailable' };

test.each<[string, RequestListener, RegExp]>([
  ['answers with an error', (_request, response) => void response.writeHead(500).end(), /status 500/],
  [
    'redirects to another server',
    (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    /status 302/,
  ],
  [
    'answers with more than a key set has',
    (_request, response) => void response.writeHead(200).end(`{"keys":[],"x":"${'x'.repeat(2_000_000)}"}`),
    /more than/,
  ],
])('If the server of the key set %s, it is not asked again at once, however many tokens arrive', async (...row) => {
  const [, answer, reason] = row;
  const { issuer, state, verify } = await serveKeySet(answer);
  for (let n = 0; n < 5; n += 1) {
    const token = await issuer.sign(claims, { kid: `unknown-${n}` });
    await expect(verify(token)).rejects.toMatchObject({ ...outage, message: expect.stringMatching(reason) });
  }
  expect(state.count).toBe(1);
});

test('While the server of the key set does not answer, 64 tokens wait, others are refused, and a known key is verified', async () => {
  const { issuer, state, verify } = await serveKeySet((_request, response) => {
    void fetch(issuer.url)
      .then((answer) => answer.text())
      .then((text) => response.end(text));
  });
  const known = await issuer.sign(claims);
  expect(await verify(known)).toHaveProperty('ok');
  state.answer = () => undefined;
  // From then on an unknown key causes a request.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40_000 });
  onTestFinished(() => void vi.useRealTimers());
  const tokens = await Promise.all(Array.from({ length: 70 }, (_, n) => issuer.sign(claims, { kid: `unknown-${n}` })));
  const answers = tokens.map((token) => verify(token).catch((error: { code: string }) => error.code));
  expect(await Promise.all(answers.slice(64))).toEqual(Array.from({ length: 6 }, () => 'too-many-requests'));
  expect(await verify(known)).toHaveProperty('ok');
  expect(await Promise.all(answers.slice(0, 64))).toEqual(Array.from({ length: 64 }, () => outage.code));
  expect(state.count).toBe(2);
}, 20_000);
