import { useBus, useNats } from '@millrace/testkit';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { BusLog } from '../connection/bus-log.ts';
import { openJetStream } from './jetstream-access.ts';
import { createServerClock } from './server-clock.ts';
import { ensureTopology } from '../queue/topology.ts';

const nats = useNats();
const warnings: object[] = [];
const log: BusLog = { debug() {}, info() {}, warn: (what) => void warnings.push(what), error() {} };
const owner = useBus(nats, 'owner', { log });
const HOUR_MS = 3_600_000;
const realNow = Date.now;

beforeAll(async () => ensureTopology(await openJetStream(owner.bus)));
afterEach(() => {
  vi.restoreAllMocks();
  warnings.length = 0;
});

const step = (ms: number) => vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
const createClock = () => createServerClock(owner.bus, owner.bus.names.runs);
/** The server runs on this machine, with its real clock. */
const errorMs = (clock: { now(): number }) => Math.abs(clock.now() - realNow());

test('a process with a wrong clock has the time of the server, and reports the difference once', async () => {
  step(HOUR_MS);
  const clock = createClock();
  expect(errorMs(clock)).toBeGreaterThan(HOUR_MS - 1_000);
  await clock.read();
  await clock.read();
  expect(errorMs(clock)).toBeLessThan(1_000);
  expect(warnings).toEqual([{ skewMs: expect.any(Number) }]);
});

test('a step of the own clock changes nothing, before and after the next reading', async () => {
  const clock = createClock();
  await clock.read();
  step(-HOUR_MS);
  expect(errorMs(clock)).toBeLessThan(1_000);
  await clock.read();
  expect(errorMs(clock)).toBeLessThan(1_000);
});

test('a difference of less than five seconds is not reported', async () => {
  step(3_000);
  const clock = createClock();
  await clock.read();
  expect(errorMs(clock)).toBeLessThan(1_000);
  expect(warnings).toEqual([]);
});

test('a reading that fails leaves the time as it was', async () => {
  const clock = createServerClock(owner.bus, 'NO_SUCH_STREAM');
  await clock.read();
  expect(errorMs(clock)).toBeLessThan(1_000);
});
