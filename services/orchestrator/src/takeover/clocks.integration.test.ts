// Clocks of the machines that orchestrators run on: they step, and differ.
import { openJetStream } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, expect, test, vi } from 'vitest';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { atStage, makePlan } from '../testing/plan-entries.ts';
import { createHead } from '../testing/run-heads.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createRunStop } from '../state/run-stop.ts';
import { openRunStore } from '../state/run-store.ts';
import { driveRun } from './drive-run.ts';
import { extendAck } from './extend-ack.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const realNow = Date.now;
afterEach(() => void vi.restoreAllMocks());

const MINUTE_MS = 60_000;
const step = (ms: number) => vi.spyOn(Date, 'now').mockImplementation(() => realNow() + ms);
const isRunning = (run: DrivenRun) => eventually(() => run.chunks().some(({ type }) => type === 'text-delta'));
/** A run of a minute, in the middle of its answer. */
async function underWay() {
  const gate = Promise.withResolvers<void>();
  const driver = createDriver(stream, { text: 'Hello.', until: gate.promise }, { text: 'Hello.' });
  const judge = scriptReplica(connection.bus, 'processOutputStep', ['judge'], () => [goOn]);
  const agent = await driver.apply({}, makePlan(atStage('processOutputStep', 'judge')));
  const run = await driver.begin({ agent, deadlineMs: MINUTE_MS });
  const driving = run.drive();
  await isRunning(run);
  return { ...driver, run, driving, open: gate.resolve, judge };
}

test.each([60 * MINUTE_MS, -60 * MINUTE_MS])(
  'a run ends well though the clock steps by %i ms while it answers',
  async (ms) => {
    const { run, driving, open, judge } = await underWay();
    step(ms);
    open();
    await driving;
    const remainingMs = judge.received[0]?.remainingMs ?? 0;
    expect(remainingMs).toBeGreaterThan(MINUTE_MS - 10_000);
    expect(remainingMs).toBeLessThanOrEqual(MINUTE_MS);
    expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Hello.' } });
  },
);

test('a command is held though the clock steps by an hour', async () => {
  const { run, driving, open } = await underWay();
  let expired = 0;
  let extended = 0;
  const delivery = { ...run.delivery, extend: () => void (extended += 1) };
  const letGo = extendAck(stream.access, delivery, createRunStop(), () => void (expired += 1), 50);
  step(60 * MINUTE_MS);
  await eventually(() => extended > 2);
  letGo();
  expect(expired).toBe(0);
  open();
  await driving;
});

test.each([11 * MINUTE_MS, -11 * MINUTE_MS])(
  'an orchestrator with a clock that is off by %i ms continues a run with the time that it has left',
  async (ms) => {
    const { run, driving, open } = await underWay();
    step(ms);
    const access = await openJetStream(await connection.connect());
    await access.clock.read();
    const next = createDriver({ access }, { text: 'Hello again.' });
    const before = (await run.head())?.deadlineAt ?? 0;
    await driveRun(next.deps, run.delivery, createRunStop());
    vi.restoreAllMocks();
    const head = await run.head();
    expect(head).toMatchObject({ status: 'finished', epoch: 2 });
    expect(Math.abs((head?.deadlineAt ?? 0) - before)).toBeLessThan(1_500);
    open();
    await expect(driving).rejects.toThrow(/another owner/);
  },
);

test('a head keeps the time that its run has left when the clock of the server steps', async () => {
  let stepped = 0;
  const { clock } = stream.access;
  const access = { ...stream.access, clock: { ...clock, now: () => clock.now() + stepped } };
  const deadlineAt = clock.now() + MINUTE_MS;
  const store = await openRunStore(access, createHead('stepped', { deadlineAt }), 0);
  await store?.write({ nextIndex: 1 });
  expect(store?.getHead().deadlineAt).toBe(deadlineAt);
  stepped = 60 * MINUTE_MS;
  await store?.write({ nextIndex: 2 });
  const leftMs = (store?.getHead().deadlineAt ?? 0) - access.clock.now();
  expect(leftMs).toBeGreaterThan(MINUTE_MS - 5_000);
  expect(leftMs).toBeLessThanOrEqual(MINUTE_MS);
});
