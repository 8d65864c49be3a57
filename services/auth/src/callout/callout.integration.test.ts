// Connects end clients to a NATS server that asks auth about them.
import { askApi, connectBus, deleteEntry, openJetStream, readEntry, type Bus } from '@millrace/bus';
import { OPERATOR_CALLER, hashCaller, type KeyRequest } from '@millrace/contracts';
import { locateCalloutKeyFile, locateSeedFile, spellApiKey } from '@millrace/identity';
import { createUserKey, eventually, useBus, useNats, useService } from '@millrace/testkit';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { authService } from '../service.ts';
import { AUDIENCE, ISSUER, openIssuer, type Issuer } from '../testing/issuer.ts';

const nats = useNats();
let issuer: Issuer;
beforeAll(async () => void (issuer = await openIssuer()));
afterAll(() => issuer.close());
const keys = () => nats.keys ?? '';
const auth = useService(authService, () => ({
  NATS_URL: nats.url,
  NATS_NKEY_FILE: locateSeedFile(keys(), 'auth'),
  AUTH_ISSUER_FILE: locateCalloutKeyFile(keys(), 'issuer'),
  AUTH_ENCRYPTION_FILE: locateCalloutKeyFile(keys(), 'encryption'),
  AUTH_SYSTEM_FILE: locateCalloutKeyFile(keys(), 'system'),
  AUTH_JWT_ISSUER: ISSUER,
  AUTH_JWT_AUDIENCE: AUDIENCE,
  AUTH_JWT_JWKS_URL: issuer.url,
  AUTH_JWT_SCOPES: '{"run":["run"],"read":["read"],"boss":["operate","admin","run"]}',
}));
const tests = useBus(nats, 'tests');
const operator = { tenant: 'acme', caller: OPERATOR_CALLER };
const create = (request: KeyRequest) => askApi(tests.bus, 'keys-create', operator, request);
const ADA: KeyRequest = { scopes: ['run', 'read'], subject: 'ada' };

/** Connects as the page of a browser would: with a token, and with the inboxes of its own caller. */
async function connectClient(token: string, subject = 'ada', tenant = 'acme'): Promise<Bus> {
  const inboxPrefix = `_INBOX.${await hashCaller(tenant, subject)}`;
  const bus = await connectBus({ servers: nats.url, name: 'client', token, inboxPrefix, connectTimeoutMs: 5_000 });
  onTestFinished(() => bus.close());
  return bus;
}
const refused = { code: 'credentials-refused' };

const PROBES = {
  submit: 'mr.v1.api.submit.acme.ADA.r1',
  cancel: 'mr.v1.api.cancel.acme.ADA.r1',
  run: 'mr.v1.api.run.acme.ADA.r1',
  threads: 'mr.v1.api.threads-list.acme.ADA',
  answer: 'mr.v1.api.answer.acme.ADA.r1',
  release: 'mr.v1.api.release.acme.ADA.r1',
  chunks: 'mr.v1.chunks.acme.ADA.r1',
  inbox: '_INBOX.ADA.x',
} as const;
const FORBIDDEN = [
  'mr.v1.api.submit.acme.operator.r1',
  'mr.v1.api.submit.acme.BOB.r1',
  'mr.v1.api.submit.other.ADA.r1',
  'mr.v1.api.resume.acme.ADA.r1',
  'mr.v1.api.suspended-list.acme.ADA',
  'mr.v1.api.keys-create.acme.ADA',
  'mr.v1.api.keys-create.acme.operator',
  'mr.v1.api.agents-apply.acme.ADA',
  'mr.v1.auth.verify',
  'mr.v1.auth.revoked',
  'mr.v1.stage.processInput.guardrails.pii',
  'mr.v1.chunks.acme.BOB.r1',
  'mr.v1.chunks.>',
  'mr.v1.>',
  '>',
  '_INBOX.BOB.x',
  '_INBOX.>',
  '$SRV.INFO',
  '$JS.API.STREAM.LIST',
  '$KV.mr_v1_KEYS.abcdefgh',
  '$SYS.REQ.USER.AUTH',
  '$SYS.REQ.SERVER.PING.CONNZ',
];

/** Returns the subjects that the server lets the connection publish and subscribe. */
async function tryAll(bus: Bus, subjects: readonly string[]) {
  const refusals = { publish: new Set<string>(), subscribe: new Set<string>() };
  void (async () => {
    for await (const status of bus.nc.status()) {
      const [, subject] = /Publish to "([^"]+)"/.exec(status.type === 'error' ? String(status.error) : '') ?? [];
      if (subject) refusals.publish.add(subject);
    }
  })();
  for (const subject of subjects) {
    if (!/[*>]/.test(subject)) bus.nc.publish(subject, 'probe');
    bus.nc.subscribe(subject, { callback: (error) => void (error && refusals.subscribe.add(subject)) });
  }
  await bus.nc.flush();
  await eventually(() => refusals.publish.size > 0 && refusals.subscribe.size > 0);
  await bus.nc.flush();
  return {
    publish: subjects.filter((subject) => !/[*>]/.test(subject) && !refusals.publish.has(subject)),
    subscribe: subjects.filter((subject) => !refusals.subscribe.has(subject)),
  };
}

type ProbeName = keyof typeof PROBES;
const RIGHTS: [KeyRequest['scopes'], ProbeName[], ProbeName[]][] = [
  [['run'], ['submit', 'cancel'], ['chunks', 'inbox']],
  [['read'], ['run', 'threads'], ['chunks', 'inbox']],
  [['answer'], ['answer', 'release'], ['inbox']],
  [
    ['run', 'read', 'answer', 'act-as', 'operate', 'admin'],
    ['submit', 'cancel', 'run', 'threads', 'answer', 'release'],
    ['chunks', 'inbox'],
  ],
];

describe('the rights of a connection', () => {
  test.each(RIGHTS)('The scopes %j allow the verbs of their own caller, and no other subject', async (...row) => {
    const [scopes, publish, subscribe] = row;
    const { key } = await create({ scopes, subject: 'ada' });
    const [ada, bob] = [await hashCaller('acme', 'ada'), await hashCaller('acme', 'bob')];
    const spell = (subject: string) => subject.replace('ADA', ada).replace('BOB', bob);
    const own = Object.values(PROBES).map(spell);
    const allowed = await tryAll(await connectClient(key), [...own, ...FORBIDDEN.map(spell)]);
    const expectNames = (names: ProbeName[]) => names.map((name) => spell(PROBES[name])).toSorted();
    expect(allowed.publish.toSorted()).toEqual(expectNames(publish));
    expect(allowed.subscribe.toSorted()).toEqual(expectNames(subscribe));
  });

  test('A JWT has the rights of its claims, never those of an operator', async () => {
    const token = await issuer.sign({ sub: 'ada', scope: 'boss' });
    const ada = await hashCaller('default', 'ada');
    const subjects = ['api.submit.default.ADA.r1', 'api.run.default.ADA.r1', 'api.submit.default.operator.r1'].map(
      (subject) => `mr.v1.${subject}`.replace('ADA', ada),
    );
    const allowed = await tryAll(await connectClient(token, 'ada', 'default'), subjects);
    expect(allowed.publish).toEqual([`mr.v1.api.submit.default.${ada}.r1`]);
    expect(allowed.subscribe).toEqual([]);
  });
});

describe('a refused connection', () => {
  const secret = 'a'.repeat(43);
  test.each<[string, () => Promise<string>]>([
    ['a wrong secret', async () => spellApiKey({ id: (await create(ADA)).id, secret })],
    ['an unknown id', async () => spellApiKey({ id: 'unknown123', secret })],
    ['a text that is no credential', async () => 'hello'],
    ['a key without a subject', async () => (await create({ scopes: ['run', 'operate'] })).key],
    ['a key that is limited to agents', async () => (await create({ ...ADA, agents: ['demo'] })).key],
    ['a key with limits', async () => (await create({ ...ADA, limits: { streams: 1 } })).key],
    ['a key without a scope of end clients', async () => (await create({ scopes: ['admin'], subject: 'ada' })).key],
    ['a JWT of another issuer', () => issuer.sign({ sub: 'ada', scope: 'run' }, { issuer: 'https://evil.example' })],
    ['a JWT for another audience', () => issuer.sign({ sub: 'ada', scope: 'run' }, { audience: 'billing' })],
    ['an expired JWT', () => issuer.sign({ sub: 'ada', scope: 'run' }, { expiresIn: new Date(Date.now() - 1_000) })],
    ['an unsigned JWT', async () => signNothing()],
  ])('NATS refuses %s', async (_, createToken) => {
    await expect(connectClient(await createToken())).rejects.toMatchObject(refused);
  });

  test('A key that is revoked or expired is refused', async () => {
    const { key, id } = await create(ADA);
    await askApi(tests.bus, 'keys-revoke', operator, { id });
    await expect(connectClient(key)).rejects.toMatchObject(refused);
    const brief = await create({ ...ADA, expiresAt: new Date(Date.now() + 1_000).toISOString() });
    await eventually(() =>
      connectClient(brief.key).then(
        () => false,
        () => true,
      ),
    );
  });

  test('A user name with a wrong password and an unknown NKEY are refused', async () => {
    const { key } = await create(ADA);
    const stranger = connectBus({ servers: nats.url, name: 'x', user: 'test', pass: 'wrong', connectTimeoutMs: 5_000 });
    await expect(stranger).rejects.toMatchObject(refused);
    const nkeySeed = createUserKey().seed;
    const unknown = connectBus({ servers: nats.url, name: 'x', nkeySeed, connectTimeoutMs: 5_000 });
    await expect(unknown).rejects.toMatchObject(refused);
    await expect(connectClient(key)).resolves.toBeDefined();
  });
});

const signNothing = (): string =>
  new UnsecuredJWT({ sub: 'ada', scope: 'run' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('5m')
    .encode();

/** Resolves with the time until the server ends the connection, ms. */
function measureEnd(bus: Bus): Promise<number> {
  const started = performance.now();
  return new Promise((resolve) => {
    void (async () => {
      for await (const { type } of bus.nc.status()) if (type === 'disconnect') resolve(performance.now() - started);
    })();
  });
}

describe('the end of a connection', () => {
  test('A revocation ends every connection of the key at once, and no other', async () => {
    const [revoked, other] = [await create(ADA), await create(ADA)];
    const connections = [await connectClient(revoked.key), await connectClient(revoked.key)];
    const remaining = await connectClient(other.key);
    const ended = connections.map(measureEnd);
    await askApi(tests.bus, 'keys-revoke', operator, { id: revoked.id });
    for (const ms of await Promise.all(ended)) expect(ms).toBeLessThan(1_000);
    await remaining.nc.flush();
    expect(remaining.countConnections()).toBe(1);
    const [first] = connections;
    const caller = await hashCaller('acme', 'ada');
    const asked = first && askApi(first, 'runs-list', { tenant: 'acme', caller }, {}, { timeoutMs: 1_500 });
    await expect(asked).rejects.toMatchObject({ code: 'credentials-refused' });
  });

  test('A connection ends with its JWT', async () => {
    const expiresIn = new Date(Date.now() + 2_000);
    const bus = await connectClient(await issuer.sign({ sub: 'ada', scope: 'run' }, { expiresIn }));
    expect(await measureEnd(bus)).toBeLessThan(3_500);
  });

  test('A connection ends with its key', async () => {
    const { key } = await create({ ...ADA, expiresAt: new Date(Date.now() + 2_000).toISOString() });
    expect(await measureEnd(await connectClient(key))).toBeLessThan(3_500);
  });

  test('A connection with a key that disappeared while auth was down ends when auth starts', async () => {
    const { key, id } = await create(ADA);
    const bus = await connectClient(key);
    const access = await openJetStream(tests.bus);
    await auth.running.stop();
    const bucket = tests.bus.names.keys;
    const { revision = 0 } = (await readEntry(access, bucket, id, z.unknown())) ?? {};
    await deleteEntry(access, bucket, id, revision);
    const ended = measureEnd(bus);
    await auth.start();
    expect(await ended).toBeLessThan(5_000);
  });
});
