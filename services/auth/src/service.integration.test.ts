// Runs two replicas of auth with the permissions of production, and asks them as an operator and as the gateway.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askApi, type Bus } from '@millrace/bus';
import { OPERATOR_CALLER, type ApiRequestInput, type KeyRequest } from '@millrace/contracts';
import {
  createVerifier,
  locateFirstKeyFile,
  parseApiKey,
  locateSeedFile,
  spellApiKey,
  type Verifier,
} from '@millrace/identity';
import { startService } from '@millrace/service';
import { eventually, useBus, useNats, useService } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authService } from './service.ts';
import { AUDIENCE, ISSUER, openIssuer, type Issuer } from './testing/issuer.ts';

const nats = useNats();
const readKeyFile = (role: string) => locateSeedFile(nats.keys ?? '', role);
let issuer: Issuer;
beforeAll(async () => void (issuer = await openIssuer()));
afterAll(() => issuer.close());
const env = () => ({
  NATS_URL: nats.url,
  NATS_NKEY_FILE: readKeyFile('auth'),
  AUTH_FIRST_KEY_FILE: locateFirstKeyFile(nats.keys ?? ''),
  AUTH_JWT_ISSUER: ISSUER,
  AUTH_JWT_AUDIENCE: AUDIENCE,
  AUTH_JWT_JWKS_URL: issuer.url,
});
const auth = useService(authService, env);
const tests = useBus(nats, 'tests');
let operator: Bus;
let gateway: Bus;
beforeAll(async () => {
  await auth.start();
  operator = await tests.connect({ name: 'operator', nkeyFile: readKeyFile('operator') });
  gateway = await tests.connect({ name: 'gateway', nkeyFile: readKeyFile('gateway') });
});

const address = { tenant: 'acme', caller: OPERATOR_CALLER };
const create = (request: KeyRequest) => askApi(operator, 'keys-create', address, request);
const revoke = (id: string, tenant = 'acme') => askApi(operator, 'keys-revoke', { ...address, tenant }, { id });
const list = (page: ApiRequestInput<'keys-list'> = {}) => askApi(operator, 'keys-list', address, page);
const openVerifier = async (): Promise<Verifier> => {
  const verifier = createVerifier(gateway);
  onTestFinished(() => verifier.stop());
  await gateway.nc.flush();
  return verifier;
};
/** A fresh verifier asks auth each time, so that both replicas answer. */
const verify = async (credential: string) => (await openVerifier()).verify(credential);
const refused = { code: 'credentials-refused' };

describe('API keys', () => {
  test('A new key is accepted at once by every replica, with the rights that it was created with', async () => {
    const request: KeyRequest = { scopes: ['run', 'read'], subject: 'ada', agents: ['demo'], limits: { streams: 2 } };
    for (let n = 0; n < 10; n += 1) {
      const { key, id } = await create({ ...request, label: 'phone' });
      expect(await verify(key)).toEqual({ ...request, tenant: 'acme', keyId: id });
    }
  });

  test('The list has the keys of its own tenant by id, in pages, and no secret', async () => {
    const { key, id } = await create({ scopes: ['admin'], label: 'listed' });
    const { secret = '' } = parseApiKey(key) ?? {};
    const ids: string[] = [];
    for (let after: string | undefined; ;) {
      const { keys, next } = await list({ limit: 3, after });
      ids.push(...keys.map((one) => one.id));
      expect(JSON.stringify(keys)).not.toContain(secret);
      expect(JSON.stringify(keys)).not.toContain('sha256');
      if (next === undefined) break;
      after = next;
    }
    expect(ids).toContain(id);
    expect(ids).toEqual(ids.toSorted());
    const other = await askApi(operator, 'keys-list', { ...address, tenant: 'other' }, {});
    expect(other.keys).toEqual([]);
  });

  test('A revoked key is refused at once, also by a verifier that has kept its identity', async () => {
    const verifier = await openVerifier();
    const { key, id } = await create({ scopes: ['admin'] });
    await verifier.verify(key);
    const heard = new Promise((resolve) => onTestFinished(verifier.onRevoked(resolve)));
    await revoke(id);
    expect(await heard).toBe(id);
    await expect(verifier.verify(key)).rejects.toMatchObject(refused);
    await eventually(async () => (await list()).keys.every((one) => one.id !== id));
    // No replica accepts it any more once its own announcement has arrived.
    for (let n = 0; n < 10; n += 1) await expect(verifier.verify(key)).rejects.toMatchObject(refused);
  });

  test('A key of another tenant, and one that is revoked already, cannot be revoked', async () => {
    const { key, id } = await create({ scopes: ['admin'] });
    await expect(revoke(id, 'other')).rejects.toMatchObject({ code: 'key-unknown' });
    await expect(verify(key)).resolves.toMatchObject({ tenant: 'acme' });
    await revoke(id);
    await expect(revoke(id)).rejects.toMatchObject({ code: 'key-unknown' });
  });

  test('A key is refused from its expiry on', async () => {
    const { key } = await create({ scopes: ['admin'], expiresAt: new Date(Date.now() + 400).toISOString() });
    const verifier = await openVerifier();
    expect(await verifier.verify(key)).toMatchObject({ scopes: ['admin'] });
    await eventually(() =>
      verifier.verify(key).then(
        () => false,
        () => true,
      ),
    );
    await expect(verifier.verify(key)).rejects.toMatchObject(refused);
  });

  test('A wrong secret, an unknown id and malformed texts have one and the same refusal', async () => {
    const { id } = await create({ scopes: ['admin'] });
    const secret = 'a'.repeat(43);
    const texts = [spellApiKey({ id, secret }), spellApiKey({ id: 'unknown123', secret }), 'mk_x', 'a.b.c', 'hello'];
    const errors = await Promise.all(texts.map((text) => verify(text).catch((error: unknown) => error)));
    expect(new Set(errors.map((error) => JSON.stringify(Object(error).message)))).toHaveProperty('size', 1);
    for (const error of errors) expect(error).toMatchObject(refused);
  });

  test('A request that contradicts itself is refused with its member', async () => {
    await expect(create({ scopes: ['run'] })).rejects.toMatchObject({ code: 'key-invalid', path: 'subject' });
    const unknown = { scopes: ['root'] };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as another program could send it
    await expect(create(unknown as KeyRequest)).rejects.toMatchObject({ code: 'message-invalid' });
  });

  test('A caller that is no operator is refused, although the gateway may publish its subject', async () => {
    const caller = { tenant: 'acme', caller: 'c1' };
    await expect(askApi(gateway, 'keys-create', caller, { scopes: ['admin'] })).rejects.toMatchObject({
      code: 'permission-denied',
    });
    await expect(askApi(gateway, 'keys-list', caller, {})).rejects.toMatchObject({ code: 'permission-denied' });
    const { id } = await create({ scopes: ['admin'] });
    await expect(askApi(gateway, 'keys-revoke', caller, { id })).rejects.toMatchObject({ code: 'permission-denied' });
  });
});

describe('the first key', () => {
  const readFirst = () => readFileSync(locateFirstKeyFile(nats.keys ?? ''), 'utf8').trim();

  test('It is an operator of the default tenant with all scopes, and further starts do not change it', async () => {
    await auth.start();
    expect(await verify(readFirst())).toMatchObject({
      tenant: 'default',
      scopes: ['run', 'read', 'answer', 'act-as', 'operate', 'admin'],
    });
    const { keys } = await askApi(operator, 'keys-list', { ...address, tenant: 'default' }, {});
    expect(keys).toHaveLength(1);
  });

  test('A first key that was revoked stays revoked when auth starts again', async () => {
    const [first] = (await askApi(operator, 'keys-list', { ...address, tenant: 'default' }, {})).keys;
    await revoke(first?.id ?? '', 'default');
    await auth.start();
    await expect(verify(readFirst())).rejects.toMatchObject(refused);
  });

  test('A file that contains no key ends the start, and its content is in no message', async () => {
    const file = join(nats.keys ?? '', 'wrong.key');
    writeFileSync(file, 'mk_almost_akey', { mode: 0o600 });
    const starting = startService(authService, { ...env(), LOG_LEVEL: 'silent', AUTH_FIRST_KEY_FILE: file });
    await expect(starting).rejects.toMatchObject({ code: 'config-invalid', path: 'AUTH_FIRST_KEY_FILE' });
    await expect(starting).rejects.not.toMatchObject({ message: expect.stringContaining('almost') });
  });
});

test('A JWT of the issuer has an identity without a key, and a token of another issuer is refused', async () => {
  const claims = { sub: 'ada', scope: 'run admin' };
  expect(await verify(await issuer.sign(claims))).toMatchObject({ tenant: 'default', subject: 'ada', scopes: ['run'] });
  await expect(verify(await issuer.sign(claims, { issuer: 'https://evil.example' }))).rejects.toMatchObject(refused);
});

test('After NATS has restarted, the replicas read the keys again and are healthy', { timeout: 60_000 }, async () => {
  const { key } = await create({ scopes: ['admin'] });
  await nats.kill();
  await nats.start();
  await eventually(() => gateway.hasConnection() && operator.hasConnection());
  expect(await eventually(() => verify(key))).toMatchObject({ scopes: ['admin'] });
  const later = await eventually(() => create({ scopes: ['admin'] }));
  await revoke(later.id);
  await expect(verify(later.key)).rejects.toMatchObject(refused);
  // The other replica may have answered until now.
  await eventually(() => auth.running.bus.findProblem() === undefined);
  expect(auth.running.bus.findProblem()).toBeUndefined();
});
