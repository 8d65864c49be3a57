// An outage of a real server, and the commands of runs that lose their owner.
import type { RunHead } from '@millrace/contracts';
import { OPERATOR_CALLER, computeHomeShard, stateKeys } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, freezeProcess, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { makeText } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { requeueCommand } from './requeue-command.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver, orchestrator } = useSuspendedRuns(stream);

test('a run that is released while its server is stopped continues when the server is available again', async () => {
  const { bus, jsm, js } = stream.access;
  // Longer than this test: a command that is not requeued is not redelivered.
  await jsm.consumers.update(
    bus.names.runs,
    bus.names.worker(computeHomeShard({ tenant: 'acme', caller: OPERATOR_CALLER })),
    {
      ack_wait: 600 * 1_000_000_000,
    },
  );
  const gate = Promise.withResolvers<void>();
  const { begin, apply, errors } = orchestrator({ text: 'Hello.', until: gate.promise }, { text: 'Hello.' });
  const run = await begin({ agent: await apply() });
  await js.publish(
    stream.access.runShards.nextSubject({ tenant: 'acme', caller: OPERATOR_CALLER }),
    JSON.stringify(run.delivery.command),
  );
  await eventually(() => makeText(run.chunks()) === 'Hello.');

  await freezeProcess(nats.pid);
  gate.resolve();
  await eventually(() => errors.some((error) => error.includes('redelivered')), { timeoutMs: 60_000 });
  process.kill(nats.pid, 'SIGCONT');
  await eventually(async () => (await run.head())?.status === 'finished', { timeoutMs: 60_000 });
  expect(await run.head()).toMatchObject({ epoch: 2, takeovers: 1 });
  expect(await run.end()).toMatchObject({ result: { text: 'Hello.' } });
}, 180_000);

describe('a command of a released run', () => {
  /** Number of times that the command is requeued after an outage of its server. */
  async function givenBack(head?: Partial<RunHead>, { isFenced = false } = {}): Promise<number> {
    const { access } = stream;
    const { deps, begin } = driver();
    const { delivery, runId } = await begin();
    const key = stateKeys.head('acme', runId);
    if (head) await writeEntry(access, access.bus.names.state, key, createHead(runId, head), {});
    let count = 0;
    const stopping = new AbortController();
    await nats.stop();
    await eventually(() => !access.bus.hasConnection());
    const giving = requeueCommand(deps, { ...delivery, handOver: () => void (count += 1) }, stopping.signal, 1);
    if (isFenced) stopping.abort();
    else await nats.start();
    await giving;
    if (isFenced) await nats.start();
    await eventually(() => access.bus.hasConnection());
    return count;
  }

  test('is requeued after a reconnect', async () => {
    expect(await givenBack({ owner: stream.access.bus.id })).toBe(1);
  });
  test('is requeued if no orchestrator has begun the run', async () => {
    expect([await givenBack(), await givenBack({ status: 'queued' })]).toEqual([1, 1]);
  });
  test('is left to another owner if the run has one by then', async () => {
    expect(await givenBack({ owner: 'another', epoch: 2 })).toBe(0);
  });
  test('is not requeued by an owner that is fenced before the reconnect', async () => {
    expect(await givenBack({ owner: stream.access.bus.id }, { isFenced: true })).toBe(0);
  });
  /** Number of times that it is requeued if its run began with an earlier connection or with this one. */
  async function givenBackSince(connectionsAgo: number): Promise<number> {
    const { deps, begin } = driver();
    const { delivery } = await begin();
    let count = 0;
    const again = { ...delivery, handOver: () => void (count += 1) };
    const connections = deps.access.bus.countConnections() - connectionsAgo;
    await requeueCommand(deps, again, new AbortController().signal, connections);
    return count;
  }
  test('is redelivered by the ack wait if the connection was up all the time', async () => {
    expect(await givenBackSince(0)).toBe(0);
  });
  test('is requeued at once if the connection has returned before the retries of the run ended', async () => {
    expect(await givenBackSince(1)).toBe(1);
  });
});
