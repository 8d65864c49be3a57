// Commands, agents and records of earlier versions with `release: sentence`, over the real queue.
import { OPERATOR_CALLER, REMOVED_RELEASE, buildAgentKey, runRequestSchema } from '@millrace/contracts';
import { publishDurably, readEntry, writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Driver, DrivenRun } from '../testing/driven-runs.ts';
import { gateStage } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { makePlan } from '../testing/plan-entries.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { createRunStop } from '../state/run-stop.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

async function begin(driver: Driver, plan = makePlan([])): Promise<DrivenRun> {
  const run = await driver.begin({ agent: await driver.apply({ release: 'step' }, plan) });
  run.delivery.command.request.release = 'step';
  return run;
}

/** Writes the removed release into the stored entry, as an earlier version did. */
async function restore(bucket: string, key: string): Promise<void> {
  const stored = await readEntry(stream.access, bucket, key, z.unknown());
  const text = JSON.stringify(stored?.value);
  expect(text).toContain('"release":"step"');
  await writeEntry(stream.access, bucket, key, withFormerRelease(stored?.value), {});
}
const withFormerRelease = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll('"release":"step"', `"release":"${REMOVED_RELEASE}"`));

async function restoreRecords(run: DrivenRun): Promise<void> {
  const keys = await runs.listStoredKeys(run);
  const records = keys.filter((key) => key.includes('record'));
  expect(records).toHaveLength(1);
  for (const key of records) await restore(connection.bus.names.state, key);
}

async function queue({ delivery }: DrivenRun): Promise<void> {
  const subject = stream.access.runShards.nextSubject({ tenant: 'acme', caller: OPERATOR_CALLER });
  const command = withFormerRelease(delivery.command);
  await publishDurably(stream.access, subject, command, delivery.command.request.runId, { isQueue: true });
}

test('A queued command with release: sentence, of an agent with it, is driven to its end', async () => {
  const run = await begin(runs.driver());
  await restore(connection.bus.names.agents, buildAgentKey('acme', run.delivery.command.request.agent));
  await queue(run);
  runs.orchestrator({ text: 'One. Two.' });
  await runs.becomes(run, 'finished');
  expect(await run.end()).toMatchObject({ result: { text: 'One. Two.' } });
});

test('A suspended run with release: sentence is listed, answered and finished', async () => {
  const { plan } = gateStage(connection.bus, 'processInput');
  const run = await begin(runs.driver({ text: 'never' }), plan);
  await run.drive();
  await restoreRecords(run);
  const [pending] = await runs.pending(run);
  runs.orchestrator({ text: 'Hello.' });
  await runs.resume(run, pending?.resumeToken ?? '', 1);
  await runs.becomes(run, 'finished');
  expect(await run.end()).toMatchObject({ result: { text: 'Hello.' } });
});

test('A run with release: sentence that lost its owner within an answer is taken over', async () => {
  const driver = runs.driver({ text: 'It is', until: new Promise(() => undefined) });
  const run = await begin(driver);
  void run.drive().catch(() => undefined);
  await eventually(async () => driver.asked.length === 1 && (await run.head())?.records === 1);
  run.fence();
  await restoreRecords(run);
  await driveRun(runs.driver({ text: 'Noon.' }).deps, run.delivery, createRunStop());
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Noon.' } });
});

test('A new request with release: sentence is refused by name', () => {
  const { error } = runRequestSchema.safeParse({ release: REMOVED_RELEASE });
  expect(error?.issues).toContainEqual(expect.objectContaining({ message: expect.stringContaining('"sentence"') }));
});
