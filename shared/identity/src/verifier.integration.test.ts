// The verifier against scripted answers of auth, so that the order of answers and announcements is the test's own.
import { serve, publish, type Bus } from '@millrace/bus';
import { verifyRequestSchema, type Identity } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createVerifier, type VerifierOptions } from './verifier.ts';

const nats = useNats();
const auth = useBus(nats, 'auth');
const gateway = useBus(nats, 'gateway');
const asked: string[] = [];
const KEY_ID = 'abcdefgh';
const ada: Identity = { tenant: 'acme', subject: 'ada', scopes: ['run'], keyId: KEY_ID };
let answer: (credential: string) => Promise<unknown> = async () => ({ ok: ada });

beforeAll(async () => {
  serve(auth.bus, {
    subject: auth.bus.subjects.verify,
    request: verifyRequestSchema,
    handle: async ({ credential }) => {
      asked.push(credential);
      return answer(credential);
    },
  });
  await auth.bus.nc.flush();
});
beforeEach(() => {
  asked.length = 0;
  answer = async () => ({ ok: ada });
});
const open = async (options?: VerifierOptions, bus: Bus = gateway.bus) => {
  const verifier = createVerifier(bus, options);
  onTestFinished(() => verifier.stop());
  await bus.nc.flush();
  return verifier;
};
const revoke = async (keyId: string) => {
  publish(auth.bus, auth.bus.subjects.revoked, { keyId });
  await auth.bus.nc.flush();
};

test('A verified credential is kept, and concurrent requests for it are one', async () => {
  const verifier = await open();
  expect(await Promise.all([verifier.verify('k1'), verifier.verify('k1')])).toEqual([ada, ada]);
  expect(await verifier.verify('k1')).toEqual(ada);
  expect(asked).toEqual(['k1']);
});

test('A revoked key is asked for again at once, and listeners receive its id', async () => {
  const verifier = await open();
  const heard: string[] = [];
  const stop = verifier.onRevoked((keyId) => void heard.push(keyId));
  await verifier.verify('k1');
  await revoke('otherkey1');
  await eventually(() => heard.length === 1);
  await verifier.verify('k1');
  expect(asked).toEqual(['k1']);
  await revoke(KEY_ID);
  await eventually(() => heard.length === 2);
  await verifier.verify('k1');
  expect(asked).toEqual(['k1', 'k1']);
  stop();
  await revoke(KEY_ID);
  await eventually(async () => (await verifier.verify('k1'), asked.length === 3));
  expect(heard).toEqual(['otherkey1', KEY_ID]);
});

test('A key that is revoked during its verification is refused, although the answer accepts it', async () => {
  const verifier = await open();
  answer = async () => {
    // The announcement leaves before the answer does.
    publish(auth.bus, auth.bus.subjects.revoked, { keyId: KEY_ID });
    return { ok: ada };
  };
  await expect(verifier.verify('k1')).rejects.toMatchObject({ code: 'credentials-refused' });
  answer = async () => ({ ok: ada });
  expect(await verifier.verify('k1')).toEqual(ada);
  expect(asked).toEqual(['k1', 'k1']);
});

test('An answer that arrives together with the announcement is not kept', async () => {
  const verifier = await open();
  answer = async () => {
    setImmediate(() => publish(auth.bus, auth.bus.subjects.revoked, { keyId: KEY_ID }));
    return { ok: ada };
  };
  const heard = Promise.withResolvers<void>();
  onTestFinished(verifier.onRevoked(() => heard.resolve()));
  await verifier.verify('k1').catch(() => undefined);
  await heard.promise;
  answer = async () => ({ ok: ada });
  await verifier.verify('k1');
  expect(asked).toEqual(['k1', 'k1']);
});

test('A refusal is not kept', async () => {
  const verifier = await open();
  answer = async () => ({ error: { code: 'credentials-refused', message: 'No.' } });
  await expect(verifier.verify('k1')).rejects.toMatchObject({ code: 'credentials-refused', message: 'No.' });
  answer = async () => ({ ok: ada });
  expect(await verifier.verify('k1')).toEqual(ada);
});

test('An answer is kept for its time to live, and never past the expiry of its identity', async () => {
  const verifier = await open({ ttlMs: 60 });
  await verifier.verify('k1');
  await eventually(async () => (await verifier.verify('k1'), asked.length === 2));
  const patient = await open();
  answer = async () => ({ ok: { ...ada, expiresAt: new Date(Date.now() + 80).toISOString() } });
  await patient.verify('k2');
  await eventually(async () => (await patient.verify('k2'), asked.length === 4));
  expect(asked).toEqual(['k1', 'k1', 'k2', 'k2']);
});

test('The number of kept answers is bounded: the oldest leaves', async () => {
  const verifier = await open({ maxKept: 2 });
  for (const credential of ['k1', 'k2', 'k3', 'k3', 'k2', 'k1']) await verifier.verify(credential);
  expect(asked).toEqual(['k1', 'k2', 'k3', 'k1']);
});

test('A text that is too long for a credential is refused without a request', async () => {
  const verifier = await open();
  for (const text of ['', 'x'.repeat(16_385)])
    await expect(verifier.verify(text)).rejects.toMatchObject({ code: 'credentials-refused' });
  expect(asked).toEqual([]);
});

test('After a reconnect every credential is verified again: a revocation may have been missed', async () => {
  const own = await gateway.connect({ id: 'reconnecting' });
  const verifier = await open({}, own);
  await verifier.verify('k1');
  const before = own.countConnections();
  await own.nc.reconnect();
  await eventually(() => own.countConnections() > before && own.hasConnection());
  await verifier.verify('k1');
  expect(asked).toEqual(['k1', 'k1']);
});
