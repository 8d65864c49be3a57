// A real server that goes away: what becomes of the commands whose runs nobody drives then.
import type { RunHead } from '@millrace/contracts';
import { homeShard, stateKeys } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { textOf } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { headOf } from '../testing/run-heads.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { giveBack } from './give-back.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, orchestrator } = useSuspendedRuns(stream);

test('a run that is let go while its server is stopped goes on when that is there again', async () => {
  const { bus, jsm, js } = stream.access;
  // Longer than this test: a command that nobody gives back does not come again.
  await jsm.consumers.update(bus.names.runs, bus.names.worker(homeShard('acme')), { ack_wait: 600 * 1_000_000_000 });
  const gate = Promise.withResolvers<void>();
  const { begin, apply, errors } = orchestrator({ text: 'Hello.', until: gate.promise }, { text: 'Hello.' });
  const run = await begin({ agent: await apply() });
  await js.publish(stream.access.runShards.nextSubject('acme'), JSON.stringify(run.delivery.command));
  await eventually(() => textOf(run.chunks()) === 'Hello.');

  process.kill(nats.pid, 'SIGSTOP');
  gate.resolve();
  await eventually(() => errors.some((error) => error.includes('come again')), { timeoutMs: 60_000 });
  process.kill(nats.pid, 'SIGCONT');
  await eventually(async () => (await run.head())?.status === 'finished', { timeoutMs: 60_000 });
  expect(await run.head()).toMatchObject({ epoch: 2, takeovers: 1 });
  expect(await run.end()).toMatchObject({ result: { text: 'Hello.' } });
}, 180_000);

describe('a command whose run was let go', () => {
  /** How often its command is given back, when its server was away and is there again. */
  async function givenBack(head?: Partial<RunHead>, { isFenced = false } = {}): Promise<number> {
    const { access } = stream;
    const { deps, begin } = driver();
    const { delivery, runId } = await begin();
    const key = stateKeys.head('acme', runId);
    if (head) await writeEntry(access, access.bus.names.state, key, headOf(runId, head), {});
    let count = 0;
    const stopping = new AbortController();
    await nats.stop();
    await eventually(() => !access.bus.connected());
    const giving = giveBack(deps, { ...delivery, handOver: () => void (count += 1) }, stopping.signal);
    if (isFenced) stopping.abort();
    else await nats.start();
    await giving;
    if (isFenced) await nats.start();
    await eventually(() => access.bus.connected());
    return count;
  }

  test('is given back when the connection is there again', async () => {
    expect(await givenBack({ owner: stream.access.bus.id })).toBe(1);
  });
  test('is given back where nobody has begun the run', async () => {
    expect([await givenBack(), await givenBack({ status: 'queued' })]).toEqual([1, 1]);
  });
  test('is left to another owner that the run has by then', async () => {
    expect(await givenBack({ owner: 'another', epoch: 2 })).toBe(0);
  });
  test('is given back to nobody by who is fenced before that', async () => {
    expect(await givenBack({ owner: stream.access.bus.id }, { isFenced: true })).toBe(0);
  });
  test('comes again by itself where the connection is there', async () => {
    const { deps, begin } = driver();
    const { delivery } = await begin();
    let count = 0;
    await giveBack(deps, { ...delivery, handOver: () => void (count += 1) }, new AbortController().signal);
    expect(count).toBe(0);
  });
});
