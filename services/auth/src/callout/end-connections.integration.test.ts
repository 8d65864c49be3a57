// Ends connections of a NATS server through the system account, with verifications that the test controls.
import { connectBus, type Bus } from '@millrace/bus';
import type { Identity } from '@millrace/contracts';
import { locateCalloutKeyFile, locateSeedFile } from '@millrace/identity';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { VerifyResult } from '../verify-credential.ts';
import { createConnectionEnder } from './end-connections.ts';
import { serveCallout, type Callout } from './serve-callout.ts';

const nats = useNats();
const tests = useBus(nats, 'tests');
const file = (name: 'issuer' | 'encryption' | 'system') => locateCalloutKeyFile(nats.keys ?? '', name);
let system: Bus;
let callout: Callout;
let verify: (credential: string) => Promise<VerifyResult>;
const ada = (keyId: string): Identity => ({ tenant: 'acme', subject: 'ada', scopes: ['run'], keyId });

beforeAll(async () => {
  verify = async (credential) => ({ ok: ada(credential) });
  const bus = await tests.connect({ name: 'auth', nkeyFile: locateSeedFile(nats.keys ?? '', 'auth') });
  system = await tests.connect({ name: 'auth-system', nkeyFile: file('system') });
  callout = serveCallout({
    bus,
    system,
    files: { issuer: file('issuer'), encryption: file('encryption'), system: file('system') },
    verify: (credential) => verify(credential),
    isKnownKey: async () => true,
    reportRefusal: () => undefined,
  });
  await bus.nc.flush();
});
afterAll(() => callout.drain(1_000));

async function connectClient(token: string): Promise<Bus> {
  const bus = await connectBus({ servers: nats.url, name: 'client', token, connectTimeoutMs: 5_000 });
  onTestFinished(() => bus.close());
  return bus;
}
const waitForEnd = (bus: Bus) =>
  eventually(() => !bus.hasConnection() || bus.countConnections() > 1, { timeoutMs: 10_000 });

test('A connection that was authenticated while its key was revoked ends a few seconds later', async () => {
  const deciding = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  verify = async (credential) => {
    asked.resolve();
    await deciding.promise;
    return { ok: ada(credential) };
  };
  const connecting = connectClient('revokedkey');
  await asked.promise;
  callout.endKey('revokedkey');
  deciding.resolve();
  const bus = await connecting;
  expect(bus.hasConnection()).toBe(true);
  verify = async () => ({ refused: 'revoked' });
  await waitForEnd(bus);
  expect(bus.findProblem()).toBeDefined();
});

test('All connections of a key end in the first round, also if they fill several pages', async () => {
  verify = async (credential) => ({ ok: ada(credential) });
  const clients = await Promise.all(Array.from({ length: 5 }, () => connectClient('crowdedkey')));
  verify = async () => ({ refused: 'revoked' });
  const ender = createConnectionEnder(system, 2);
  onTestFinished(() => ender.stop());
  const started = performance.now();
  ender.end('key:crowdedkey');
  await Promise.all(clients.map(waitForEnd));
  expect(performance.now() - started).toBeLessThan(2_900);
});

test('Refused users are found on every page of the list, and all others remain', async () => {
  verify = async (credential) => ({ ok: ada(credential) });
  const names = Array.from({ length: 7 }, (_, n) => `${n % 2 === 0 ? 'gone' : 'kept'}key${n}`);
  const clients = await Promise.all(names.map(connectClient));
  verify = async () => ({ refused: 'revoked' });
  const asked = new Set<string>();
  const ender = createConnectionEnder(system, 2);
  onTestFinished(() => ender.stop());
  await ender.endRefused(async (user) => {
    asked.add(user);
    return user.startsWith('key:gone');
  });
  await Promise.all(clients.filter((_, n) => n % 2 === 0).map(waitForEnd));
  for (const [n, bus] of clients.entries()) {
    if (n % 2 === 1) await bus.nc.flush();
  }
  expect(clients.map((bus) => bus.countConnections() === 1 && bus.hasConnection())).toEqual(
    names.map((_, n) => n % 2 === 1),
  );
  expect([...asked]).toEqual(expect.arrayContaining(names.map((name) => `key:${name}`)));
});

test('A search for unknown keys that fails is repeated until the connections of a revoked key have ended', async () => {
  verify = async (credential) => ({ ok: ada(credential) });
  const client = await connectClient('lostkey1');
  verify = async () => ({ refused: 'revoked' });
  const bus = await tests.connect({ name: 'auth', nkeyFile: locateSeedFile(nats.keys ?? '', 'auth') });
  let asked = 0;
  const restarted = serveCallout({
    bus,
    system,
    files: { issuer: file('issuer'), encryption: file('encryption'), system: file('system') },
    verify: (credential) => verify(credential),
    isKnownKey: async (keyId) => {
      asked += 1;
      if (asked === 1) throw new Error('the bucket has no leader');
      return keyId !== 'lostkey1';
    },
    reportRefusal: () => undefined,
  });
  onTestFinished(() => restarted.drain(1_000));
  await waitForEnd(client);
  expect(asked).toBeGreaterThan(1);
});
