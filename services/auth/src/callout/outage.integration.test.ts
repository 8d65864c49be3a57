// Stops auth, restarts NATS, rotates the keys of the callout, and withholds a permission.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askApi, connectBus, type Bus } from '@millrace/bus';
import { OPERATOR_CALLER, createSubjects, hashCaller } from '@millrace/contracts';
import { locateCalloutKeyFile, openKeyFolder, locateSeedFile, locateUsersFile } from '@millrace/identity';
import { startService, type RunningService } from '@millrace/service';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { authService } from '../service.ts';

const createEnv = (url: string, keys: string) => ({
  NATS_URL: url,
  LOG_LEVEL: 'silent',
  DRAIN_GRACE_MS: '1000',
  HEALTH_PORT: '0',
  NATS_NKEY_FILE: locateSeedFile(keys, 'auth'),
  AUTH_ISSUER_FILE: locateCalloutKeyFile(keys, 'issuer'),
  AUTH_ENCRYPTION_FILE: locateCalloutKeyFile(keys, 'encryption'),
  AUTH_SYSTEM_FILE: locateCalloutKeyFile(keys, 'system'),
});
const operator = { tenant: 'acme', caller: OPERATOR_CALLER };

describe('outages', () => {
  const nats = useNats();
  const tests = useBus(nats, 'tests');
  const start = async (): Promise<RunningService> => {
    const service = await startService(authService, createEnv(nats.url, nats.keys ?? ''));
    onTestFinished(() => service.stop());
    return service;
  };
  const createKey = async () =>
    (await eventually(() => askApi(tests.bus, 'keys-create', operator, { scopes: ['run'], subject: 'ada' }))).key;
  const connectClient = async (token: string): Promise<Bus> => {
    const inboxPrefix = `_INBOX.${await hashCaller('acme', 'ada')}`;
    const bus = await connectBus({ servers: nats.url, name: 'client', token, inboxPrefix, connectTimeoutMs: 5_000 });
    onTestFinished(() => bus.close());
    return bus;
  };

  test('Without auth NATS refuses clients within seconds, and neither services nor connected clients notice', async () => {
    const auth = await start();
    const key = await createKey();
    const connected = await connectClient(key);
    await auth.stop();
    const started = performance.now();
    await expect(connectClient(key)).rejects.toMatchObject({ code: 'credentials-refused' });
    expect(performance.now() - started).toBeLessThan(4_000);
    const again = performance.now();
    const service = await tests.connect({ name: 'tools', nkeyFile: locateSeedFile(nats.keys ?? '', 'tools') });
    expect(performance.now() - again).toBeLessThan(1_000);
    await service.nc.flush();
    await connected.nc.flush();
    expect(connected.countConnections()).toBe(1);
    await start();
    await (await connectClient(key)).nc.flush();
  });

  test('After a restart of NATS, and after a rotation of the keys of auth, clients connect again by themselves', async () => {
    const auth = await start();
    const bus = await connectClient(await createKey());
    const restart = async () => {
      const before = bus.countConnections();
      await nats.stop();
      await nats.start();
      await eventually(() => bus.countConnections() > before && bus.hasConnection(), { timeoutMs: 30_000 });
    };
    await restart();
    await eventually(async () => {
      const health = await fetch(`http://127.0.0.1:${auth.healthPort}/healthz`);
      return health.status === 200 && (await health.text()) === '{"status":"ok"}';
    });
    // auth reads the new keys by itself; only the watch of its bucket needs the restart that `millrace keys` prints.
    await nats.rotateKey('auth');
    await restart();
    const client = await connectClient(await createKey());
    await client.nc.flush();
    expect(client.hasConnection()).toBe(true);
  }, 60_000);

  test('The files of the callout are complete and valid, or auth does not start', async () => {
    const env = createEnv(nats.url, nats.keys ?? '');
    const starting = (more: Record<string, string>) => startService(authService, { ...env, ...more });
    await expect(starting({ AUTH_SYSTEM_FILE: '' })).rejects.toMatchObject({
      code: 'config-invalid',
      path: 'AUTH_SYSTEM_FILE',
    });
    const seed = readFileSync(env.AUTH_SYSTEM_FILE, 'utf8').trim();
    const wrong = starting({ AUTH_ISSUER_FILE: env.AUTH_SYSTEM_FILE });
    await expect(wrong).rejects.toMatchObject({ code: 'config-invalid', path: 'AUTH_ISSUER_FILE' });
    await expect(wrong).rejects.not.toMatchObject({ message: expect.stringContaining(seed) });
  });
});

describe.each([
  ['the callout', '"$SYS.REQ.USER.AUTH",', 'subscribe to $SYS.REQ.USER.AUTH'],
  ['the list of connections', '"$SYS.REQ.SERVER.PING.CONNZ",', 'publish on $SYS.REQ.SERVER.PING.CONNZ'],
])('a missing permission for %s', (_, permission, problem) => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeAll(() => openKeyFolder(folder, createSubjects()));
  const readUsers = () => readFileSync(locateUsersFile(folder), 'utf8').replace(permission, '');
  const nats = useNats({ extraConfig: readUsers });

  test('auth is unhealthy and names the permission', async () => {
    const auth = await startService(authService, createEnv(nats.url, folder));
    onTestFinished(() => auth.stop());
    const readHealth = async () => (await fetch(`http://127.0.0.1:${auth.healthPort}/healthz`)).text();
    await eventually(async () => (await readHealth()).includes(problem));
    expect(await readHealth()).toContain('NATS refuses a permission');
  });
});
