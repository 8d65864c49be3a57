// Runs auth as a process of its own at the finest log level, and searches its log and its bucket for secrets.
import { readFileSync } from 'node:fs';
import { askApi, openJetStream } from '@millrace/bus';
import { OPERATOR_CALLER } from '@millrace/contracts';
import { createVerifier, locateFirstKeyFile, parseApiKey, spellApiKey } from '@millrace/identity';
import { useBus, useNats, useStack } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { AUDIENCE, ISSUER, openIssuer } from './testing/issuer.ts';

const nats = useNats();
const tests = useBus(nats, 'tests');
const readFirstKey = () => locateFirstKeyFile(nats.keys ?? '');
const stack = useStack(nats, [], () => ({ LOG_LEVEL: 'trace', AUTH_FIRST_KEY_FILE: readFirstKey() }));

test('Neither the log nor the bucket contains a secret or a token', async () => {
  const issuer = await openIssuer();
  onTestFinished(() => issuer.close());
  const env = { AUTH_JWT_ISSUER: ISSUER, AUTH_JWT_AUDIENCE: AUDIENCE, AUTH_JWT_JWKS_URL: issuer.url };
  await stack.start('auth', env);
  const address = { tenant: 'acme', caller: OPERATOR_CALLER };
  const { key, id } = await askApi(tests.bus, 'keys-create', address, { scopes: ['admin'] });
  const verifier = createVerifier(tests.bus);
  onTestFinished(() => verifier.stop());
  const { secret = '' } = parseApiKey(key) ?? {};
  const wrongSecret = `${secret.slice(1)}0`;
  const tokens = [
    await issuer.sign({ sub: 'ada', scope: 'run' }),
    await issuer.sign({ sub: 'ada', scope: 'run' }, { audience: 'billing' }),
  ];
  for (const text of [key, spellApiKey({ id, secret: wrongSecret }), ...tokens])
    await verifier.verify(text).catch(() => undefined);
  const access = await openJetStream(tests.bus);
  const entry = await access.jsm.streams.getMessage('KV_mr_v1_KEYS', { last_by_subj: `$KV.mr_v1_KEYS.${id}` });
  await askApi(tests.bus, 'keys-revoke', address, { id });
  const log = await stack.log('auth');
  expect(log).toContain('the secret of the API key is wrong');
  expect(log).toContain('ERR_JWT_CLAIM_VALIDATION_FAILED (aud)');
  expect(entry?.string()).toContain('"sha256":"');
  const { secret: firstSecret = '' } = parseApiKey(readFileSync(readFirstKey(), 'utf8').trim()) ?? {};
  const signatures = tokens.map((token) => token.split('.')[2] ?? '');
  for (const text of [secret, wrongSecret, firstSecret, ...signatures]) {
    expect(text.length).toBeGreaterThan(40);
    expect(log).not.toContain(text);
    expect(entry?.string()).not.toContain(text);
  }
});
