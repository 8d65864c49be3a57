// A run that loses owner after owner: losses before the next checkpoint have a limit of their own, because the run itself may end its owners.
import { stateKeys } from '@millrace/contracts';
import { writeEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { createRunStop } from '../state/run-stop.ts';
import { createDriver, type DrivenRun } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { lookCalls, lookTool } from '../testing/look-tool.ts';
import { makePlan } from '../testing/plan-entries.ts';
import type { Say } from '../testing/scripted-model.ts';
import { serveTool } from '../testing/test-servings.ts';
import { MAX_REPEATED_LOSSES } from './claim-run.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

const driver = (...script: Say[]) => createDriver(stream, ...script);

/** A model that has sent its text and then nothing, until its owner is lost. */
const hung: Say = { text: 'It is', until: new Promise(() => undefined) };

/** Drives the run until its model has received the last prompt, then names an owner that does not exist in its head. */
async function lose(run: DrivenRun, owner: string, ...before: Say[]): Promise<void> {
  const { deps, asked } = driver(...before, hung);
  const stop = createRunStop();
  void driveRun(deps, run.delivery, stop).catch(() => undefined);
  await eventually(async () => asked.length === before.length + 1 && ((await run.head())?.records ?? 0) > 0);
  stop.fence();
  const head = await run.head();
  const key = stateKeys.head('acme', run.runId);
  await writeEntry(stream.access, connection.bus.names.state, key, { ...head, owner }, {});
}

async function begin(): Promise<DrivenRun> {
  const first = driver();
  return first.begin({ agent: await first.apply({}, { ...makePlan([]), tools: [lookTool({ idempotent: true })] }) });
}

test('A run that loses its owners in succession without a checkpoint is given up before one with progress.', async () => {
  const run = await begin();
  // The first owner stores the checkpoint of processInput.
  for (let lost = 0; lost <= MAX_REPEATED_LOSSES; lost += 1) await lose(run, `gone-${lost}`);
  const last = driver({ text: 'never asked' });
  await driveRun(last.deps, run.delivery, createRunStop());
  const error = { code: 'run-given-up', message: expect.stringContaining('the last 3 without a checkpoint') };
  expect(await run.end()).toMatchObject({ result: { status: 'failed', error } });
  expect(await run.head()).toMatchObject({ takeovers: 4, repeatedLosses: 3 });
  expect(last.asked).toEqual([]);
});

test('A checkpoint of an owner ends the count of owners that were lost without one.', async () => {
  serveTool(connection.bus, 'look', async () => ({ result: 'noon' }));
  const run = await begin();
  for (let lost = 0; lost < MAX_REPEATED_LOSSES; lost += 1) await lose(run, `gone-${lost}`);
  expect(await run.head()).toMatchObject({ takeovers: 2, repeatedLosses: 1 });
  await lose(run, 'gone-later', { text: 'Let me see.', calls: lookCalls() });
  expect(await run.head()).toMatchObject({ takeovers: 3, repeatedLosses: 2 });
  await driveRun(driver({ text: ' It is noon.' }).deps, run.delivery, createRunStop());
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Let me see. It is noon.' } });
  expect(await run.head()).toMatchObject({ takeovers: 4 });
  expect(await run.head()).not.toHaveProperty('repeatedLosses');
});
