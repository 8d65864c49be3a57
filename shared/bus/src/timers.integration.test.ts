// The expiries of suspended runs, over a real server: each comes once, when it is due, whatever happened to the server meanwhile.
import type { Expiry } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { openJetStream, type JetStreamAccess } from './jetstream-access.ts';
import { clearTimer, consumeExpiries, setTimer } from './timers.ts';
import { ensureTopology } from './topology.ts';

const nats = useNats();
const orchestrator = useBus(nats, 'orchestrator');
let access: JetStreamAccess;
let stopping = new AbortController();
const consuming: Promise<void>[] = [];

beforeAll(async () => {
  access = await openJetStream(orchestrator.bus);
  await ensureTopology(access);
});
afterEach(async () => {
  stopping.abort();
  await Promise.all(consuming.splice(0));
  stopping = new AbortController();
});

const of = (runId: string, epoch = 1): Expiry => ({ tenant: 'acme', runId, epoch });
/** What comes, from now on. */
function comes(handle: (expiry: Expiry) => void = () => undefined): Expiry[] {
  const taken: Expiry[] = [];
  const take = async (expiry: Expiry) => {
    handle(expiry);
    taken.push(expiry);
  };
  consuming.push(consumeExpiries(access, take, stopping.signal));
  return taken;
}
const left = async () => (await access.jsm.streams.info(orchestrator.bus.names.timers)).state.messages;

test('an expiry comes once it is due, to one of several orchestrators, and is gone then', async () => {
  const due = Date.now() + 300;
  await setTimer(access, of('r1'), due);
  const [one, other] = [comes(), comes()];
  await eventually(() => one.length + other.length === 1);
  expect(Date.now()).toBeGreaterThanOrEqual(due);
  expect([...one, ...other]).toEqual([of('r1')]);
  await eventually(async () => (await left()) === 0);
});

test('a run has one expiry: the next one replaces it', async () => {
  await setTimer(access, of('r2', 1), Date.now() + 60_000);
  await setTimer(access, of('r2', 2), Date.now());
  const taken = comes();
  await eventually(() => taken.length === 1);
  expect(taken).toEqual([of('r2', 2)]);
  await eventually(async () => (await left()) === 0);
});

test('an expiry that is cleared does not come, and those of other runs do', async () => {
  await setTimer(access, of('r3'), Date.now() + 200);
  await setTimer(access, of('r30'), Date.now() + 300);
  await clearTimer(access, 'acme', 'r3');
  const taken = comes();
  await eventually(() => taken.length > 0);
  expect(taken).toEqual([of('r30')]);
});

test('an expiry whose handling fails comes again', async () => {
  await access.jsm.consumers.update(orchestrator.bus.names.timers, orchestrator.bus.names.expirer, { ack_wait: 500e6 });
  await setTimer(access, of('r4'), Date.now());
  let tries = 0;
  const taken = comes(() => {
    tries += 1;
    if (tries === 1) throw new Error('the store is away');
  });
  await eventually(() => taken.length === 1);
  expect(tries).toBe(2);
});

test('an expiry that fell due while the server was away comes when it is back', { timeout: 30_000 }, async () => {
  await setTimer(access, of('r5'), Date.now() + 300);
  await setTimer(access, of('r6'), Date.now() + 60_000);
  await nats.stop();
  await nats.start();
  const taken = comes();
  // A pull that was under way then is made again after 5 s.
  await eventually(() => taken.length > 0, { timeoutMs: 20_000 });
  expect(taken).toEqual([of('r5')]);
  await eventually(async () => (await left()) === 1);
});
