// Suspended runs without an answer: how they end.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, stateKeys, type Stage } from '@millrace/contracts';
import { purgeEntries, setTimer, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { ask, gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { beforeWriting } from '../testing/intercepted-access.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { readSuspension, writeSuspension } from '../state/suspension-store.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { readHead } from '../head/run-head.ts';
import { createRunStop } from '../state/run-stop.ts';
import { cancelRun } from '../api/cancel-run.ts';
import { driveRun } from './drive-run.ts';
import { expireRun } from './expire-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

const gatedStage = (stage: Stage) => gateStage(connection.bus, stage);

describe('a suspended run', () => {
  async function suspendRun() {
    const { plan } = gatedStage('processOutputStep');
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    return run;
  }
  const readLast = async (run: Awaited<ReturnType<typeof suspendRun>>) => {
    const { batches, complete } = await runs.api().replay({ epoch: 1, index: 0 }, runs.address(run));
    return { complete, last: batches.at(-1)?.chunks.at(-1) };
  };

  test('ends at once if it is cancelled', async () => {
    const run = await suspendRun();
    expect(await runs.api().cancel({}, runs.address(run))).toMatchObject({ status: 'cancelled' });
    expect(await runs.readStatus(run)).toBe('cancelled');
    expect((await run.end())?.result.status).toBe('cancelled');
    expect(await readLast(run)).toMatchObject({
      complete: true,
      last: { type: 'abort', payload: { reason: 'cancelled' } },
    });
    expect(await runs.pending(run)).toEqual([]);
  });

  test.each([
    [
      'been answered and has finished',
      async (run) => {
        runs.orchestrator({ text: 'never' });
        const [pending] = await runs.pending(run);
        await runs.resume(run, pending?.resumeToken ?? '', 'a secret');
        return 'finished';
      },
    ],
    ['been released', async (run) => (await runs.api().release({}, runs.address(run))).status],
    ['been cancelled', async (run) => (await runs.api().cancel({}, runs.address(run))).status],
    [
      'expired',
      async ({ runId }) => {
        await expireRun(stream.access, { tenant: 'acme', runId, epoch: 1 });
        return 'failed';
      },
    ],
  ] satisfies [string, (run: DrivenRun) => Promise<string>][])(
    'that has %s leaves only its end behind',
    async (_how, end) => {
      const run = await suspendRun();
      await runs.becomes(run, await end(run));
      await eventually(async () => (await runs.listStoredKeys(run)).length === 2);
      expect(await runs.listStoredKeys(run)).toEqual(await runs.lastingKeys(run));
      expect(await runs.countTimers(run)).toBe(0);
    },
  );

  test('with an invalid head does not keep others from being listed', async () => {
    const [odd, other] = [await suspendRun(), await suspendRun()];
    const key = stateKeys.head('acme', odd.runId);
    await writeEntry(stream.access, connection.bus.names.state, key, { odd: true }, {});
    expect(await runs.pending(other)).toHaveLength(1);
    await purgeEntries(stream.access, connection.bus.names.state, key);
  });

  test('expires even if the timer of a replaced owner has overwritten its own', async () => {
    scriptReplica(connection.bus, 'processInput', ['brief'], () => [ask({ expiresInSeconds: 1 })]);
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, makePlan([planEntry('brief')])) });
    await run.drive();
    await setTimer(stream.access, { tenant: 'acme', runId: run.runId, epoch: 7 }, Date.now());
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.end())?.result.error).toMatchObject({ code: 'suspension-expired' });
  });

  test('keeps its question if a replaced owner writes its own one late', async () => {
    const run = await suspendRun();
    const head = await run.head();
    const asked = head && (await readSuspension(stream.access, head));
    if (!asked) throw new Error('the run is not suspended');
    await writeSuspension(stream.access, head, { ...asked, epoch: 7, pending: [] }, 60);
    expect(await readSuspension(stream.access, head)).toEqual(asked);
    expect(await runs.pending(run)).toEqual(asked.pending);
  });

  test('keeps its question and a held answer if the question of a replaced owner is too large', async () => {
    const { plan } = gatedStage('processInput');
    const { access } = stream;
    const [reached, suspended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let maxPayload = access.bus.readMaxPayload();
    const paused = beforeWriting(access, '.end.', () => {
      maxPayload = 200;
      reached.resolve();
      return suspended.promise;
    });
    const bus = Object.create(access.bus, { readMaxPayload: { value: () => maxPayload } });
    const replaced = createDriver({ access: { ...paused, bus } }, { text: 'never' });
    const run = await replaced.begin({ agent: await replaced.apply({}, plan) });
    const driving = run.drive().catch((error: unknown) => error);
    await reached.promise;
    await driveRun(runs.driver({ text: 'never' }).deps, run.delivery, createRunStop());
    const [pending] = await runs.pending(run);
    await runs.api().resume({ token: pending?.resumeToken ?? '', data: 1, hold: true }, runs.address(run));
    const listKept = async () => (await runs.listStoredKeys(run)).filter((key) => /^(suspension|resumption)/.test(key));
    const kept = await listKept();
    suspended.resolve();
    expect(await driving).toMatchObject({ code: 'message-too-large' });
    expect(await run.head()).toMatchObject({ status: 'suspended', epoch: 2 });
    expect(kept).toHaveLength(2);
    expect(await listKept()).toEqual(kept);
  });

  test('of an earlier version, without an epoch in the key of its question, is shown and answered', async () => {
    const run = await suspendRun();
    const head = await run.head();
    const question = head && (await readSuspension(stream.access, head));
    const { asked: _, ...legacy } = head ?? {};
    const { state } = connection.bus.names;
    await writeEntry(stream.access, state, stateKeys.suspension('acme', run.runId), question, {});
    await writeEntry(stream.access, state, stateKeys.head('acme', run.runId), legacy, {});
    await purgeEntries(stream.access, state, stateKeys.allSuspensions('acme', run.runId));
    const [pending] = await runs.pending(run);
    runs.orchestrator({ text: 'Hello.' });
    await runs.resume(run, pending?.resumeToken ?? '', true);
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });

  test.each([
    ['just before its suspension counts', false],
    ['and finds its records deleted while it still writes', true],
  ])(
    'with an owner that was replaced %s loses the entries that the replaced owner wrote',
    async (_when, isForgotten) => {
      const { plan } = gatedStage('processInput');
      const { access } = stream;
      const { state } = access.bus.names;
      let isTold = false;
      // The owner is paused at its last write but one: another owner has driven the run to its end by then.
      const publish: typeof access.js.publish = async (subject, ...more) => {
        if (subject.includes('.suspension.')) {
          await replaceOwner(subject.split('.').at(-2) ?? '');
          if (isForgotten) await delay(100);
        } else if (isForgotten && subject.includes('.end.') && !isTold) {
          isTold = true;
          throw new MillraceError('run-state-unreadable', 'A record is gone.');
        }
        return access.js.publish(subject, ...more);
      };
      const replaceOwner = async (runId: string) => {
        const head = await readHead(access, 'acme', runId);
        const next = { ...head?.value, epoch: 2, owner: 'other', status: 'finished' };
        await writeEntry(access, state, stateKeys.head('acme', runId), next, {});
      };
      const get = (of: typeof access.js, name: string) => (name === 'publish' ? publish : Reflect.get(of, name));
      const slow = { ...access, js: new Proxy(access.js, { get }) };
      const driver = createDriver({ access: slow }, { text: 'never' });
      const run = await driver.begin({ agent: await driver.apply({}, plan) });
      await expect(run.drive()).rejects.toBeInstanceOf(FencedError);
      await delay(isForgotten ? 300 : 0);
      expect((await runs.listStoredKeys(run)).filter((key) => key.startsWith('suspension.'))).toEqual([]);
      expect((await runs.listStoredKeys(run)).filter((key) => key.startsWith('record.'))).toEqual([]);
      expect(await run.head()).toMatchObject({ epoch: 2, status: 'finished' });
    },
  );

  test('is cancelled if the cancel was requested while the run was being suspended', async () => {
    const asked = Promise.withResolvers<void>();
    scriptReplica(connection.bus, 'processInput', ['gate'], async () => {
      await asked.promise;
      return [ask()];
    });
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, makePlan([planEntry('gate')])) });
    const driving = run.drive();
    await runs.becomes(run, 'running');
    // The run is suspended between the read of its head and the write of the key.
    const { access } = stream;
    const js = Object.create(access.js, {
      publish: {
        value: async (...args: Parameters<typeof access.js.publish>) => {
          if (args[0].includes(`.cancel.acme.${run.runId}`)) {
            asked.resolve();
            await driving;
          }
          return access.js.publish(...args);
        },
      },
    });
    await cancelRun({ ...access, js }, { caller: 'operator', tenant: 'acme', run: run.runId });
    expect(await runs.readStatus(run)).toBe('cancelled');
  });

  test('ends as released, and a second release succeeds', async () => {
    const run = await suspendRun();
    expect(await runs.api().release({}, runs.address(run))).toMatchObject({ status: 'released' });
    expect(await runs.api().release({}, runs.address(run))).toMatchObject({ status: 'released' });
    expect((await run.end())?.result.status).toBe('released');
    expect(await readLast(run)).toMatchObject({
      complete: true,
      last: { type: 'abort', payload: { reason: 'released' } },
    });
  });

  test('fails by a schedule of the server after its maximum wait', async () => {
    const { plan } = gatedStage('processInput');
    scriptReplica(connection.bus, 'processInput', ['brief'], () => [ask({ expiresInSeconds: 1 })]);
    const entry = planEntry('brief', { stages: ['processInput'] });
    const driver = runs.driver({ text: 'never' });
    const agent = await driver.apply({}, { ...plan, ...makePlan([entry]) });
    const run = await driver.begin({ agent });
    await run.drive();
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.end())?.result.error).toMatchObject({ code: 'suspension-expired' });
    expect(await readLast(run)).toMatchObject({ complete: true, last: { type: 'error' } });
  });

  test('does not fail by the expiry of an earlier suspension', async () => {
    const run = await suspendRun();
    await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 7 });
    expect(await runs.readStatus(run)).toBe('suspended');
  });

  test('cannot be released once it is active again', async () => {
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply() });
    await run.drive();
    await expect(runs.api().release({}, runs.address(run))).rejects.toMatchObject({ code: 'run-not-suspended' });
  });
});
