// Tests the expiries of suspended runs over a real server: each is delivered once when it is due, also after restarts
// of the server.
import type { Expiry } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { openJetStream, type JetStreamAccess } from '../streams/jetstream-access.ts';
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

const createExpiry = (runId: string, epoch = 1): Expiry => ({ tenant: 'acme', runId, epoch });
/** Expiries that are delivered from now on. */
function comes(handle: (expiry: Expiry) => void = () => undefined): Expiry[] {
  const taken: Expiry[] = [];
  const take = async (expiry: Expiry) => {
    handle(expiry);
    taken.push(expiry);
  };
  consuming.push(consumeExpiries(access, take, stopping.signal));
  return taken;
}
const countTimers = async () => (await access.jsm.streams.info(orchestrator.bus.names.timers)).state.messages;

test('A due expiry is delivered to one of several orchestrators and removed', async () => {
  const due = Date.now() + 300;
  await setTimer(access, createExpiry('r1'), due);
  const [one, other] = [comes(), comes()];
  await eventually(() => one.length + other.length === 1);
  expect(Date.now()).toBeGreaterThanOrEqual(due);
  expect([...one, ...other]).toEqual([createExpiry('r1')]);
  await eventually(async () => (await countTimers()) === 0);
});

test('A run has one expiry: a later one replaces it', async () => {
  await setTimer(access, createExpiry('r2', 1), Date.now() + 60_000);
  await setTimer(access, createExpiry('r2', 2), Date.now());
  const taken = comes();
  await eventually(() => taken.length === 1);
  expect(taken).toEqual([createExpiry('r2', 2)]);
  await eventually(async () => (await countTimers()) === 0);
});

test('A cleared expiry is not delivered, and those of other runs are', async () => {
  await setTimer(access, createExpiry('r3'), Date.now() + 200);
  await setTimer(access, createExpiry('r30'), Date.now() + 300);
  await clearTimer(access, 'acme', 'r3');
  const taken = comes();
  await eventually(() => taken.length > 0);
  expect(taken).toEqual([createExpiry('r30')]);
});

test('An expiry is redelivered if its handler fails', async () => {
  await access.jsm.consumers.update(orchestrator.bus.names.timers, orchestrator.bus.names.expirer, { ack_wait: 500e6 });
  await setTimer(access, createExpiry('r4'), Date.now());
  let tries = 0;
  const taken = comes(() => {
    tries += 1;
    if (tries === 1) throw new Error('the store is away');
  });
  await eventually(() => taken.length === 1);
  expect(tries).toBe(2);
});

test(
  'An expiry that became due during an outage of the server is delivered after it',
  { timeout: 30_000 },
  async () => {
    await setTimer(access, createExpiry('r5'), Date.now() + 300);
    await setTimer(access, createExpiry('r6'), Date.now() + 60_000);
    await nats.stop();
    await nats.start();
    const taken = comes();
    // A pull that was under way then is repeated after `timings.pullMs`.
    await eventually(() => taken.length > 0, { timeoutMs: 20_000 });
    expect(taken).toEqual([createExpiry('r5')]);
    await eventually(async () => (await countTimers()) === 1);
  },
);
