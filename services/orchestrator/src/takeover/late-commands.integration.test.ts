// Resume commands that reach a suspended run without an answer to its open questions.
import { setTimeout as delay } from 'node:timers/promises';
import {
  OPERATOR_CALLER,
  COMMON_VERSION,
  resumptionSchema,
  stateKeys,
  type Command,
  type RunHead,
} from '@millrace/contracts';
import { locateEntry, publishDurably } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { suspendOnce } from '../testing/answers.ts';
import { ask } from '../testing/gated-stage.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { readResumptions, takeBackResumption, writeResumption } from '../state/suspension-store.ts';
import { completeSuspension, wakeRun } from './after-suspension.ts';
import { expireRun } from './expire-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

async function suspendRun() {
  const { first: pending, ...suspended } = await suspendOnce(stream, runs);
  return { ...suspended, pending };
}

async function readHead(run: DrivenRun): Promise<RunHead> {
  const head = await run.head();
  if (!head) throw new Error('the run has no head');
  return head;
}

async function removeAnswer(run: DrivenRun, head: RunHead, id: string): Promise<void> {
  const { state } = connection.bus.names;
  const key = stateKeys.resumption('acme', run.runId, id);
  const { revision } = await locateEntry(stream.access, state, key, resumptionSchema);
  await takeBackResumption(stream.access, head, id, revision);
}

const awaitEmptyQueue = () => expect.poll(runs.countCommands).toBe(0);

describe('a resume command', () => {
  test('is dropped if the open questions have no answer: the run keeps its epoch and its owner publishes no further chunk', async () => {
    const { run, pending, head } = await suspendRun();
    await wakeRun(stream.access, head, { reason: 'late', revision: 1 });
    runs.orchestrator({ text: 'Hello.' });
    await awaitEmptyQueue();
    expect(await run.head()).toMatchObject({ status: 'suspended', epoch: 1 });
    expect(run.chunks().filter(({ type }) => type === 'suspended')).toHaveLength(1);
    await runs.resume(run, pending.resumeToken, 1);
    await runs.becomes(run, 'finished');
    expect((await run.head())?.epoch).toBe(2);
  });

  test('of an answer that is given again is no duplicate of the dropped command of the removed answer', async () => {
    const { run, pending, head } = await suspendRun();
    await runs.resume(run, pending.resumeToken, 'removed');
    await removeAnswer(run, head, pending.id);
    runs.orchestrator({ text: 'Hello.' });
    await awaitEmptyQueue();
    await runs.resume(run, pending.resumeToken, 'given again');
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });

  test('of the expiry is no duplicate of the dropped command of a removed answer', async () => {
    const { run, pending, head } = await suspendRun();
    await writeResumption(stream.access, head, pending, { resumeId: 'removed', data: 1 });
    await completeSuspension(stream.access, head);
    await removeAnswer(run, head, pending.id);
    runs.orchestrator({ text: 'Hello.' });
    await awaitEmptyQueue();
    await writeResumption(stream.access, head, pending, { resumeId: 'held', data: 1 });
    await expireRun(stream.access, { tenant: 'acme', runId: run.runId, epoch: 1 });
    await runs.becomes(run, 'finished');
    expect((await run.end())?.result.text).toBe('Hello.');
  });

  test('of an earlier version resumes the run also without an answer', async () => {
    const { run, head } = await suspendRun();
    const command: Command = {
      command: 'resume',
      v: COMMON_VERSION,
      request: { tenant: 'acme', runId: run.runId, deadlineMs: head.suspension?.remainingMs ?? 0 },
      submittedAt: Date.now(),
    };
    const subject = stream.access.runShards.nextSubject({ tenant: 'acme', caller: OPERATOR_CALLER });
    await publishDurably(stream.access, subject, command, 'earlier', { isQueue: true });
    runs.orchestrator({ text: 'never' });
    await expect.poll(async () => (await run.head())?.epoch).toBe(2);
    await runs.becomes(run, 'suspended');
  });

  test('resumes a run with expired questions, so that the run gets a timer again and fails', async () => {
    scriptReplica(connection.bus, 'processInput', ['brief'], () => [ask({ expiresInSeconds: 1 })]);
    const entries = [planEntry('brief', { stages: ['processInput'], lists: ['input'], reads: ['input'] })];
    const driver = runs.driver({ text: 'never' });
    const run = await driver.begin({ agent: await driver.apply({}, makePlan(entries)) });
    await run.drive();
    await stream.access.jsm.streams.purge(connection.bus.names.timers);
    await delay(1_200);
    await wakeRun(stream.access, await readHead(run), { reason: 'expiry', revision: 1 });
    runs.orchestrator({ text: 'never' });
    runs.expire();
    await runs.becomes(run, 'failed');
    expect((await run.end())?.result.error?.code).toBe('suspension-expired');
  });
});

describe('an answer that a further request has stored again', () => {
  test.each([
    ['a repetition of the same request', 'r1', 'same'],
    ['another request', 'r2', 'other'],
  ])('by %s is not removed by the failed first request', async (_further, resumeId, by) => {
    const { run, pending, head } = await suspendRun();
    const first = await writeResumption(stream.access, head, pending, { resumeId: 'r1', data: 1 });
    const further = { resumeId, data: 2 };
    const { by: foundBy, revision } = await writeResumption(stream.access, head, pending, further);
    expect(foundBy).toBe(by);
    // Later requests write nothing, so that their commands are duplicates.
    expect(await writeResumption(stream.access, head, pending, further)).toEqual({ by, revision, isHeld: false });
    await takeBackResumption(stream.access, head, pending.id, first.revision);
    expect(await readResumptions(stream.access, head, [pending])).toMatchObject([{ answer: { data: 1 } }]);
    expect(await runs.pending(run)).toEqual([]);
  });
});
