// A run that is put away: what answers count, and how it ends without one.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, stateKeys, type Stage } from '@millrace/contracts';
import { purgeEntries, setTimer, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { ask, gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { FencedError } from '../state/fenced-error.ts';
import { readSuspension, writeSuspension } from '../state/suspension-store.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { readHead } from '../state/run-head.ts';
import { cancelRun } from '../api/cancel-run.ts';
import { expireRun } from './expire-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

function gatedStage(stage: Stage) {
  const gated = gateStage(connection.bus, stage);
  runs.stops.push(...gated.stops);
  return gated;
}

describe('an answer', () => {
  async function suspended() {
    const { plan, received } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const [pending] = await runs.pending(run);
    return { run, received, token: pending?.resumeToken ?? '' };
  }

  test('is of one run of one tenant: elsewhere its token opens nothing', async () => {
    const [{ run, token }, { run: other }] = [await suspended(), await suspended()];
    const elsewhere = runs.api().resume({ token, data: 1 }, runs.address(other));
    await expect(elsewhere).rejects.toMatchObject({ code: 'resume-token-invalid' });
    const foreign = runs.api().resume({ token, data: 1 }, { tenant: 'other', run: run.runId });
    await expect(foreign).rejects.toMatchObject({ code: 'run-unknown' });
    expect(await runs.pending(run)).toHaveLength(1);
  });

  test('counts once: the second one is refused, whether the run goes on by then or not', async () => {
    const { run, token, received } = await suspended();
    await runs.resume(run, token, 'first');
    await expect(runs.resume(run, token, 'second')).rejects.toMatchObject({ code: 'resume-token-used' });
    expect(await runs.pending(run)).toEqual([]);
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    await expect(runs.resume(run, token, 'third')).rejects.toMatchObject({ code: 'run-not-suspended' });
    expect(received[2]?.entries[0]?.resumeData).toBe('first');
  });

  test('of ten at once one counts', async () => {
    const { run, token } = await suspended();
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => runs.resume(run, token, n)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('that is sent again for want of a reply is the same one', async () => {
    const { run, token } = await suspended();
    const again = { token, data: 1, resumeId: 'r1' };
    await runs.api().resume(again, runs.address(run));
    await runs.api().resume(again, runs.address(run));
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    expect((await run.head())?.epoch).toBe(2);
  });

  test.each([
    ['a token that nobody has given out', 'nonsense', 1, 'resume-token-invalid'],
    ['more than it may hold', undefined, 'x'.repeat(70_000), 'message-too-large'],
  ])('with %s is refused, and the run waits on', async (_what, other, data, code) => {
    const { run, token } = await suspended();
    await expect(runs.resume(run, other ?? token, data)).rejects.toMatchObject({ code });
    expect(await runs.pending(run)).toHaveLength(1);
  });

  test('to a run of which its orchestrators were not told is found when the run would expire', async () => {
    const { run, token } = await suspended();
    await runs.resume(run, token, 1);
    await stream.access.jsm.streams.purge(connection.bus.names.runs);
    await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 1 });
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });
});

describe('a suspended run', () => {
  async function suspended() {
    const { plan } = gatedStage('processOutputStep');
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    return run;
  }
  const lastOf = async (run: Awaited<ReturnType<typeof suspended>>) => {
    const { batches, complete } = await runs.api().replay({ epoch: 1, index: 0 }, runs.address(run));
    return { complete, last: batches.at(-1)?.chunks.at(-1) };
  };

  test('that is cancelled ends here and now', async () => {
    const run = await suspended();
    expect(await runs.api().cancel({}, runs.address(run))).toMatchObject({ status: 'cancelled' });
    expect(await runs.statusOf(run)).toBe('cancelled');
    expect((await run.end())?.result.status).toBe('cancelled');
    expect(await lastOf(run)).toMatchObject({
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
    'that has %s leaves nothing but how it ended',
    async (_how, end) => {
      const run = await suspended();
      await runs.becomes(run, await end(run));
      await eventually(async () => (await runs.keptOf(run)).length === 2);
      expect(await runs.keptOf(run)).toEqual(await runs.lastingKeys(run));
      expect(await runs.timersOf(run)).toBe(0);
    },
  );

  test('whose head does not fit keeps no other from being listed', async () => {
    const [odd, other] = [await suspended(), await suspended()];
    const key = stateKeys.head('acme', odd.runId);
    await writeEntry(stream.access, connection.bus.names.state, key, { odd: true }, {});
    expect(await runs.pending(other)).toHaveLength(1);
    await purgeEntries(stream.access, connection.bus.names.state, key);
  });

  test('expires though the timer of a replaced owner stands in the place of its own', async () => {
    const brief = scriptReplica(connection.bus, 'processInput', ['brief'], () => [ask({ expiresInSeconds: 1 })]);
    runs.stops.push(brief.stop);
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, planOf([planEntry('brief')])) });
    await run.drive();
    await setTimer(stream.access, { tenant: 'acme', runId: run.runId, epoch: 7 }, Date.now());
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.end())?.result.error).toMatchObject({ code: 'suspension-expired' });
  });

  test('keeps its question when a replaced owner writes its own one late', async () => {
    const run = await suspended();
    const head = await run.head();
    const asked = head && (await readSuspension(stream.access, head));
    if (!asked) throw new Error('the run is not suspended');
    await writeSuspension(stream.access, head, { ...asked, epoch: 7, pending: [] }, 60);
    expect(await readSuspension(stream.access, head)).toEqual(asked);
    expect(await runs.pending(run)).toEqual(asked.pending);
  });

  test('of an earlier version, without an epoch in the key of its question, is shown and answered', async () => {
    const run = await suspended();
    const head = await run.head();
    const question = head && (await readSuspension(stream.access, head));
    const { asked: _, ...legacy } = head ?? {};
    const { state } = connection.bus.names;
    await writeEntry(stream.access, state, stateKeys.suspension('acme', run.runId), question, {});
    await writeEntry(stream.access, state, stateKeys.head('acme', run.runId), legacy, {});
    await purgeEntries(stream.access, state, stateKeys.suspensionsOf('acme', run.runId));
    const [pending] = await runs.pending(run);
    runs.orchestrator({ text: 'Hello.' });
    await runs.resume(run, pending?.resumeToken ?? '', true);
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });

  test.each([
    ['just before its suspension counts', false],
    ['and finds its records gone while it still writes', true],
  ])('whose owner was replaced %s takes back what it has written', async (_when, isForgotten) => {
    const { plan } = gatedStage('processInput');
    const { access } = stream;
    const { state } = access.bus.names;
    let isTold = false;
    // Stopped for a while at its last write but one: somebody else has driven the run to its end by then.
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
    runs.stops.push(driver.stop);
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await expect(run.drive()).rejects.toBeInstanceOf(FencedError);
    await delay(isForgotten ? 300 : 0);
    expect((await runs.keptOf(run)).filter((key) => key.startsWith('suspension.'))).toEqual([]);
    expect((await runs.keptOf(run)).filter((key) => key.startsWith('record.'))).toEqual([]);
    expect(await run.head()).toMatchObject({ epoch: 2, status: 'finished' });
  });

  test('that was put away just when its cancel was asked for is cancelled too', async () => {
    const asked = Promise.withResolvers<void>();
    const gate = scriptReplica(connection.bus, 'processInput', ['gate'], async () => {
      await asked.promise;
      return [ask()];
    });
    runs.stops.push(gate.stop);
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, planOf([planEntry('gate')])) });
    const driving = run.drive();
    await runs.becomes(run, 'running');
    // The run is put away between the reading of its head and the writing of the key.
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
    await cancelRun({ ...access, js }, 'acme', run.runId);
    expect(await runs.statusOf(run)).toBe('cancelled');
  });

  test('that is released has ended as released, and twice is fine', async () => {
    const run = await suspended();
    expect(await runs.api().release({}, runs.address(run))).toMatchObject({ status: 'released' });
    expect(await runs.api().release({}, runs.address(run))).toMatchObject({ status: 'released' });
    expect((await run.end())?.result.status).toBe('released');
    expect(await lastOf(run)).toMatchObject({
      complete: true,
      last: { type: 'abort', payload: { reason: 'released' } },
    });
  });

  test('that has waited for as long as it may has failed, by a schedule of the server', async () => {
    const { plan } = gatedStage('processInput');
    const brief = scriptReplica(connection.bus, 'processInput', ['brief'], () => [ask({ expiresInSeconds: 1 })]);
    runs.stops.push(brief.stop);
    const entry = planEntry('brief', { stages: ['processInput'] });
    const driver = runs.driver({ text: 'never' });
    const agent = await driver.apply({}, { ...plan, ...planOf([entry]) });
    const run = await driver.begin({ agent });
    await run.drive();
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.end())?.result.error).toMatchObject({ code: 'suspension-expired' });
    expect(await lastOf(run)).toMatchObject({ complete: true, last: { type: 'error' } });
  });

  test('does not fail of an expiry of an earlier suspension', async () => {
    const run = await suspended();
    await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 7 });
    expect(await runs.statusOf(run)).toBe('suspended');
  });

  test('that goes on cannot be released', async () => {
    const driver = runs.driver({ text: 'Hello.' });
    const run = await driver.begin({ agent: await driver.apply() });
    await run.drive();
    await expect(runs.api().release({}, runs.address(run))).rejects.toMatchObject({ code: 'run-not-suspended' });
  });
});
