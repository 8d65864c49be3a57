// Answers to suspended runs: which of them count.
import { type Stage } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { readStoredAnswers } from '../state/suspension-store.ts';
import { expireRun } from './expire-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

const gatedStage = (stage: Stage) => gateStage(connection.bus, stage);

describe('an answer', () => {
  async function suspendRun() {
    const { plan, received } = gatedStage('processInput');
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, plan) });
    await run.drive();
    const [pending] = await runs.pending(run);
    return { run, received, token: pending?.resumeToken ?? '' };
  }

  test('counts for one run of one tenant: its token is invalid elsewhere', async () => {
    const [{ run, token }, { run: other }] = [await suspendRun(), await suspendRun()];
    await expect(runs.api().resume({ token, data: 1 }, runs.address(other))).rejects.toMatchObject({
      code: 'resume-token-invalid',
    });
    const foreign = { caller: 'operator', tenant: 'other', run: run.runId };
    await expect(runs.api().resume({ token, data: 1 }, foreign)).rejects.toMatchObject({ code: 'run-unknown' });
    expect(await runs.pending(run)).toHaveLength(1);
  });

  test('counts once: the second one is refused, whether the run is active by then or not', async () => {
    const { run, token, received } = await suspendRun();
    await runs.resume(run, token, 'first');
    await expect(runs.resume(run, token, 'second')).rejects.toMatchObject({ code: 'resume-token-used' });
    expect(await runs.pending(run)).toEqual([]);
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    await expect(runs.resume(run, token, 'third')).rejects.toMatchObject({ code: 'run-not-suspended' });
    expect(received[2]?.entries[0]?.resumeData).toBe('first');
  });

  test('counts once if ten arrive at the same time', async () => {
    const { run, token } = await suspendRun();
    const all = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => runs.resume(run, token, n)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('that is sent again because no reply arrived is the same one', async () => {
    const { run, token } = await suspendRun();
    const again = { token, data: 1, resumeId: 'r1' };
    await runs.api().resume(again, runs.address(run));
    await runs.api().resume(again, runs.address(run));
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    expect((await run.head())?.epoch).toBe(2);
  });

  test.each([
    ['a token that was never issued', 'nonsense', 1, 'resume-token-invalid'],
    ['more than it may hold', undefined, 'x'.repeat(70_000), 'message-too-large'],
  ])('with %s is refused, and the run keeps waiting', async (_what, other, data, code) => {
    const { run, token } = await suspendRun();
    await expect(runs.resume(run, other ?? token, data)).rejects.toMatchObject({ code });
    expect(await runs.pending(run)).toHaveLength(1);
  });

  test('in the form of a tool’s result is stored without the text that the reader of the request has added', async () => {
    const { run, token } = await suspendRun();
    await runs.resume(run, token, { output: 1, outputText: '1.0' });
    const head = await run.head();
    const answers = head && (await readStoredAnswers(stream.access, head));
    expect(answers?.map(({ answer }) => answer.data)).toEqual([{ output: 1 }]);
  });

  test('that no orchestrator was notified of is found when the run would expire', async () => {
    const { run, token } = await suspendRun();
    await runs.resume(run, token, 1);
    await stream.access.jsm.streams.purge(connection.bus.names.runs);
    await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 1 });
    runs.orchestrator({ text: 'Hello.' });
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });
});
