// Circuits over a real bucket: what one orchestrator opens, all others see, and one of them tries the route.
import type { JetStreamAccess } from '@millrace/bus';
import { timings } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { useJetStream } from '../testing/jetstream.ts';
import { MAX_COUNTED_ROUTES, openCircuits, type Circuits } from './circuits.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const log = { warn: () => undefined, info: () => undefined };
const ROUTE = 'a'.repeat(32);
const OTHER = 'b'.repeat(32);

/** `skip`: how far its clock is ahead of the others, ms. */
async function open(access: JetStreamAccess = stream.access): Promise<Circuits & { skip(ms: number): void }> {
  let ahead = 0;
  const clock = { ...access.clock, now: () => access.clock.now() + ahead };
  const circuits = await openCircuits({ access: { ...access, clock }, log });
  onTestFinished(() => circuits.stop());
  return { ...circuits, skip: (ms) => void (ahead += ms) };
}

test('An orchestrator that opens a circuit stops the calls of all others, one of them tries the route, and its success closes it for all', async () => {
  const [one, other] = [await open(), await open()];
  for (let call = 0; call < 3; call++) one.recordFailure(ROUTE, `one.${call}`, { cause: 'unavailable' });
  await eventually(() => expect(other.readOpenUntil(ROUTE)).toBeGreaterThan(stream.access.clock.now()));
  expect(await other.enter(ROUTE, 'other.1')).toBe(false);
  for (const circuits of [one, other]) circuits.skip(timings.circuitOpenMs + 100);
  const entered = await Promise.all([one.enter(ROUTE, 'one.9'), other.enter(ROUTE, 'other.9')]);
  expect(entered.filter(Boolean)).toHaveLength(1);
  const [winner, owner] = entered[0] ? [one, 'one.9'] : [other, 'other.9'];
  await eventually(() =>
    expect([one, other].map(({ readOpenUntil }) => readOpenUntil(ROUTE) !== undefined)).toEqual([true, true]),
  );
  winner.recordSuccess(ROUTE, owner);
  await eventually(() =>
    expect([one, other].map(({ readOpenUntil }) => readOpenUntil(ROUTE))).toEqual([undefined, undefined]),
  );
});

test('A call that is abandoned returns its lease, and a later orchestrator reads the circuits of the others', async () => {
  const one = await open();
  one.recordFailure(OTHER, 'one.1', { cause: 'unauthorized' });
  one.skip(timings.circuitOpenMs * 13);
  expect(await one.enter(OTHER, 'one.2')).toBe(true);
  one.release(OTHER, 'one.2');
  expect(await one.enter(OTHER, 'one.3')).toBe(true);
  await eventually(async () =>
    expect((await open()).read(OTHER)).toMatchObject({ state: 'open', cause: 'unauthorized' }),
  );
});

test('An orchestrator counts the calls of the latest routes only', async () => {
  const circuits = await open();
  circuits.recordSuccess(ROUTE, 'one.1');
  circuits.recordSuccess(OTHER, 'one.2');
  circuits.recordSuccess(ROUTE, 'one.3');
  for (let at = 1; at < MAX_COUNTED_ROUTES; at++) circuits.recordSuccess(`other-${at}`, 'one.4');
  expect([ROUTE, OTHER].map((route) => circuits.readCounts(route).succeeded)).toEqual([2, 0]);
});

test('Without the bucket an orchestrator applies its own circuits to its own calls', async () => {
  const route = 'c'.repeat(32);
  const alone = await open();
  await stream.access.jsm.streams.delete(`KV_${stream.access.bus.names.circuits}`);
  for (let call = 0; call < 3; call++) alone.recordFailure(route, `alone.${call}`, { cause: 'network' });
  expect(await alone.enter(route, 'alone.9')).toBe(false);
  expect(alone.readOpenUntil(route)).toBeGreaterThan(stream.access.clock.now());
});
