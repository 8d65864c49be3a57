// Exchanges credentials for bus tokens at a running auth, and connects to NATS with them.
import { askApi, connectBus, signNatively, type Bus } from '@millrace/bus';
import { OPERATOR_CALLER, hashCaller, type ExchangeRequest, type KeyRequest } from '@millrace/contracts';
import { locateCalloutKeyFile, createVerifier, exchangeCredential, locateSeedFile } from '@millrace/identity';
import { eventually, useBus, useNats, useService } from '@millrace/testkit';
import { createAccount } from '@nats-io/nkeys';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authService } from '../service.ts';
import { AUDIENCE, ISSUER, openIssuer, type Issuer } from '../testing/issuer.ts';
import { spellBusToken } from './bus-token.ts';

const nats = useNats();
let issuer: Issuer;
beforeAll(async () => void (issuer = await openIssuer()));
afterAll(() => issuer.close());
const keys = () => nats.keys ?? '';
useService(authService, () => ({
  NATS_URL: nats.url,
  NATS_NKEY_FILE: locateSeedFile(keys(), 'auth'),
  AUTH_ISSUER_FILE: locateCalloutKeyFile(keys(), 'issuer'),
  AUTH_ENCRYPTION_FILE: locateCalloutKeyFile(keys(), 'encryption'),
  AUTH_SYSTEM_FILE: locateCalloutKeyFile(keys(), 'system'),
  AUTH_JWT_ISSUER: ISSUER,
  AUTH_JWT_AUDIENCE: AUDIENCE,
  AUTH_JWT_JWKS_URL: issuer.url,
}));
const tests = useBus(nats, 'tests');
const gateway = useBus(nats, 'gateway', { role: 'gateway' });
const tenant = 'acme';
const operator = { tenant, caller: OPERATOR_CALLER };
const create = (request: KeyRequest) => askApi(tests.bus, 'keys-create', operator, request);
const ADA: KeyRequest = { scopes: ['run', 'read'], subject: 'ada' };
const exchange = (credential: string, more: Partial<ExchangeRequest> = {}) =>
  exchangeCredential(gateway.bus, { credential, scopes: ['read'], ttlSeconds: 60, ...more });

async function connectClient(token: string, subject = 'ada'): Promise<Bus> {
  const inboxPrefix = `_INBOX.${await hashCaller(tenant, subject)}`;
  const bus = await connectBus({ servers: nats.url, name: 'client', token, inboxPrefix, connectTimeoutMs: 5_000 });
  onTestFinished(() => bus.close());
  return bus;
}
const refused = { code: 'credentials-refused' };
const waitForEnd = (bus: Bus) =>
  eventually(() => !bus.hasConnection() || bus.countConnections() > 1, { timeoutMs: 10_000 });

describe('a bus token', () => {
  test('has the requested rights of its key, for its own caller', async () => {
    const { key } = await create(ADA);
    const { token, expiresAt, ...rest } = await exchange(key);
    expect(rest).toEqual({ tenant, subject: 'ada', scopes: ['read'] });
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    const bus = await connectClient(token);
    const [ada, bob] = [await hashCaller(tenant, 'ada'), await hashCaller(tenant, 'bob')];
    const subscribe = async (subject: string) => {
      const denied = Promise.withResolvers<boolean>();
      bus.nc.subscribe(subject, { callback: (error) => denied.resolve(error !== null) });
      await bus.nc.flush();
      return Promise.race([denied.promise, bus.nc.flush().then(() => false)]);
    };
    expect(await subscribe(`mr.v1.chunks.${tenant}.${ada}.*`)).toBe(false);
    expect(await subscribe(`mr.v1.chunks.${tenant}.${bob}.*`)).toBe(true);
    // The key may submit, and the token may not.
    const submitting = askApi(bus, 'cancel', { tenant, caller: ada, run: 'r1' }, {}, { timeoutMs: 1_500 });
    await expect(submitting).rejects.toMatchObject({ code: 'permission-denied' });
  });

  test('of a key with act-as is one of the named subject', async () => {
    const { key } = await create({ scopes: ['run', 'read', 'act-as'] });
    expect(await exchange(key, { subject: 'carol' })).toMatchObject({ subject: 'carol' });
    await expect(exchange(key)).rejects.toMatchObject({ code: 'scope-missing' });
  });

  test('ends its connection when it expires, and before that when its key expires', async () => {
    const brief = await create({ ...ADA, expiresAt: new Date(Date.now() + 2_500).toISOString() });
    const { token, expiresAt } = await exchange(brief.key);
    expect(expiresAt).toBe(brief.expiresAt);
    await waitForEnd(await connectClient(token));
    // NATS counts whole seconds, so that the connection may end before the token.
    await eventually(() => Date.now() > Date.parse(expiresAt));
    await expect(connectClient(token)).rejects.toMatchObject(refused);
  });

  test('ends with the revocation of its key, and is refused from then on', async () => {
    const { key, id } = await create(ADA);
    const { token } = await exchange(key);
    const bus = await connectClient(token);
    await askApi(tests.bus, 'keys-revoke', operator, { id });
    await waitForEnd(bus);
    await expect(connectClient(token)).rejects.toMatchObject(refused);
  });

  test('of a JWT ends with it', async () => {
    const jwt = await issuer.sign({ sub: 'ada', scope: 'read' }, { expiresIn: '30s' });
    const { token, expiresAt, subject } = await exchange(jwt, { ttlSeconds: 3_600 });
    expect(subject).toBe('ada');
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 30_000);
    expect(token).not.toContain(jwt);
  });
});

describe('an exchange is refused', () => {
  test.each<[string, () => Promise<KeyRequest>, Partial<ExchangeRequest>, string]>([
    ['rights that the key does not have', async () => ADA, { scopes: ['read', 'answer'] }, 'scope-missing'],
    ['another subject without act-as', async () => ADA, { subject: 'bob' }, 'scope-missing'],
    ['a key that is limited to agents', async () => ({ ...ADA, agents: ['demo'] }), {}, 'scope-missing'],
    ['a key with limits', async () => ({ ...ADA, limits: { streams: 1 } }), {}, 'scope-missing'],
    ['a time above the maximum', async () => ADA, { ttlSeconds: 3_601 }, 'message-invalid'],
  ])('for %s', async (_what, request, more, code) => {
    const { key } = await create(await request());
    await expect(exchange(key, more)).rejects.toMatchObject({ code });
  });

  test('for a wrong key, and for a bus token', async () => {
    const { key } = await create(ADA);
    await expect(exchange(`${key.slice(0, -1)}${key.endsWith('x') ? 'y' : 'x'}`)).rejects.toMatchObject(refused);
    const { token } = await exchange(key);
    await expect(exchange(token)).rejects.toMatchObject(refused);
  });

  test('to every user except the gateway', async () => {
    const { key } = await create(ADA);
    const tools = await tests.connect({ name: 'tools', nkeyFile: locateSeedFile(keys(), 'tools') });
    const asking = exchangeCredential(tools, { credential: key, scopes: ['read'], ttlSeconds: 60 });
    await expect(asking).rejects.toMatchObject({ code: 'permission-denied' });
  });
});

describe('a forged bus token', () => {
  const claims = {
    v: 1 as const,
    tenant,
    subject: 'ada',
    scopes: ['read' as const],
    expiresAt: '2030-01-01T00:00:00.000Z',
  };
  test('of another issuer, with a changed payload, or without a signature is refused', async () => {
    const { token } = await exchange((await create(ADA)).key);
    const foreign = spellBusToken(claims, signNatively(createAccount()));
    const payload = Buffer.from(JSON.stringify({ ...claims, subject: 'bob' })).toString('base64url');
    const [, signature] = token.split('.');
    for (const forged of [
      foreign,
      `mt_${payload}.${signature}`,
      `mt_${payload}.`,
      `mt_${payload}`,
      'mt_',
      `${token}.x`,
    ])
      await expect(connectClient(forged)).rejects.toMatchObject(refused);
  });

  test('is no credential of the gateway, and neither is a real one', async () => {
    const verifier = createVerifier(gateway.bus);
    onTestFinished(() => verifier.stop());
    const { token } = await exchange((await create(ADA)).key);
    await expect(verifier.verify(token)).rejects.toMatchObject(refused);
  });
});
