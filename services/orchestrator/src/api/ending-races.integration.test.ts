// Several writers end one run at once: exactly one of them has the head, and the result is the one that it stored.
import { stateKeys, type RunHead } from '@millrace/contracts';
import { locateEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endUndriven } from '../takeover/end-undriven.ts';
import { readEnd, writeEnd } from '../head/run-head.ts';
import { expireRun } from '../takeover/expire-run.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { createHead } from '../testing/run-heads.ts';
import { newRun, makeRequest } from '../testing/runs-api.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { cancelRun } from './cancel-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

/** An orchestrator: its writes of the run's state wait for `open`, like those of a stopped process. */
function slowWriter({ runId }: { runId: string }) {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isWaiting = false;
  const { access } = stream;
  const publish: JetStreamAccess['js']['publish'] = async (to, ...rest) => {
    if (to.startsWith('$KV.') && to.split('.').includes(runId)) {
      isWaiting = true;
      await opened;
    }
    return access.js.publish(to, ...rest);
  };
  const js = new Proxy(access.js, {
    get: (target, name) => (name === 'publish' ? publish : Reflect.get(target, name)),
  });
  return { access: { ...access, js }, open, isWaiting: () => isWaiting };
}

async function suspendRun(): Promise<DrivenRun> {
  const gated = gateStage(connection.bus, 'processOutputStep');
  const driver = runs.driver({ text: 'The answer is 42.' });
  const run = await driver.begin({ agent: await driver.apply({}, gated.plan) });
  await run.drive();
  return run;
}

const statuses = async (run: DrivenRun) => ({
  head: await runs.readStatus(run),
  result: (await run.end())?.result.status,
});

describe('the result of a suspended run', () => {
  test('stays when a releaser loses the head to an answer and writes late', async () => {
    const run = await suspendRun();
    const releaser = slowWriter(run);
    const releasing = endUndriven(releaser.access, { tenant: 'acme', runId: run.runId }, { status: 'released' });
    await eventually(() => releaser.isWaiting());
    const [pending] = await runs.pending(run);
    await runs.resume(run, pending?.resumeToken ?? '', true);
    runs.orchestrator({ text: 'The answer is 42.' });
    await runs.becomes(run, 'finished');
    releaser.open();
    expect((await releasing).ended).toBe(false);
    expect(await statuses(run)).toEqual({ head: 'finished', result: 'finished' });
    expect((await run.end())?.result.text).toBe('The answer is 42.');
    const { batches } = await runs.api().replay({ epoch: 1, index: 0 }, runs.address(run));
    expect(batches.at(-1)?.chunks.at(-1)).toMatchObject({ type: 'finish' });
    expect(await runs.listStoredKeys(run)).toEqual([expect.stringMatching(/^end\./), expect.stringMatching(/^head\./)]);
  });

  test('is the one of the verb that answered, when release and cancel are sent at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const run = await suspendRun();
      const [release, cancel] = await Promise.allSettled([
        runs.api().release({}, runs.address(run)),
        runs.api().cancel({}, runs.address(run)),
      ]);
      const { head, result } = await statuses(run);
      expect({ round, result }).toEqual({ round, result: head });
      expect(['released', 'cancelled']).toContain(head);
      expect(release.status === 'fulfilled').toBe(head === 'released');
      expect(cancel).toMatchObject({ status: 'fulfilled', value: { status: head } });
      const { events } = await runs.api().events({ after: 0, limit: 100 }, runs.address(run));
      const endings = events.filter((event) => event.event === 'run' && event.status !== 'suspended');
      expect(endings).toMatchObject([{ status: head }]);
      expect((await runs.listStoredKeys(run)).filter((key) => key.startsWith('end.'))).toHaveLength(1);
    }
  });
});

test('a canceller that loses a queued run to its first owner leaves events and result to it', async () => {
  const { tenant, run: runId } = newRun();
  const request = makeRequest({ caller: 'operator', tenant, run: runId }, { deadlineMs: 60_000 });
  const driver = runs.driver({ text: 'Hello.' });
  const begun = await driver.begin({ agent: await driver.apply() });
  const command = { ...begun.delivery.command, request: { ...begun.delivery.command.request, runId } };
  expect(request.runId).toBe(runId);
  const head = createHead(runId, {
    status: 'queued',
    command: 0,
    requestHash: command.requestHash,
    owner: 'submitter',
  });
  await writeEntry(stream.access, connection.bus.names.state, stateKeys.head(tenant, runId), head, {});
  const canceller = slowWriter({ runId });
  const cancelling = cancelRun(canceller.access, { tenant, run: runId, caller: 'operator' });
  await eventually(() => canceller.isWaiting());
  await begun.drive({ command });
  canceller.open();
  expect(await cancelling).toBe('finished');
  const there = await locateEntry(stream.access, connection.bus.names.state, stateKeys.head(tenant, runId), headSchema);
  const final = 'value' in there ? there.value : undefined;
  expect(final && (await readEnd(stream.access, final))?.result.text).toBe('Hello.');
  const { events } = await runs.api().events({ after: 0, limit: 100 }, { caller: 'operator', tenant, run: runId });
  expect(events.map(({ event }) => event)).toEqual(['model', 'run']);
});
const headSchema: z.ZodType<RunHead> = z.custom<RunHead>();

test('a head of an earlier version names no end: the end is read by the epoch', async () => {
  const run = await suspendRun();
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  const { end: _, ...legacy } = head;
  const end = await readEnd(stream.access, head);
  const { state } = connection.bus.names;
  await writeEntry(stream.access, state, stateKeys.end('acme', run.runId, '1'), end, {});
  await writeEntry(stream.access, state, stateKeys.head('acme', run.runId), legacy, {});
  expect((await runs.api().run({}, runs.address(run))).pending).toHaveLength(1);
  await runs.api().release({}, runs.address(run));
  expect(await statuses(run)).toEqual({ head: 'released', result: 'released' });
  expect((await runs.listStoredKeys(run)).filter((key) => key.startsWith('end.'))).toHaveLength(1);
});

test('a run that was released by a killed process leaves only head and end when its timer is due', async () => {
  const run = await suspendRun();
  const kept = (await runs.listStoredKeys(run)).length;
  const [head, before] = [await run.head(), await run.end()];
  if (!head || !before) throw new Error('the run has no end');
  // The releaser was killed after the compare-and-set.
  const end = await writeEnd(stream.access, head, '2-new', before);
  const released = { ...head, status: 'released', epoch: 2, end };
  await writeEntry(stream.access, connection.bus.names.state, stateKeys.head('acme', run.runId), released, {});
  expect(await runs.listStoredKeys(run)).toHaveLength(kept + 1);
  await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 1 });
  expect(await runs.listStoredKeys(run)).toEqual(await runs.lastingKeys(run));
});
