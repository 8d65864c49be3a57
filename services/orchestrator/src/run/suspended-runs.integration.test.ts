// A run that is put away: what answers count, and how it ends without one.
import type { Stage } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { ask, gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
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
