// A NATS server that is killed restores the first version of an entry that was written twice and then purged. The
// entries of a run are therefore written once under each name: no entry of a run that has ended is stored again.
import type { PlanEntry, Stage } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { ask } from '../testing/gated-stage.ts';
import { useJetStream } from '../testing/jetstream.ts';
import type { DrivenRun } from '../testing/driven-runs.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const runs = useSuspendedRuns(stream);

const RUNS = 6;

/** A processor that suspends the run, until it is called with an answer. */
function askOnce(name: string, stage: Stage): PlanEntry {
  scriptReplica(connection.bus, stage, [name], (call) => [call.entries[0]?.resumeData === undefined ? ask() : goOn]);
  return planEntry(name, { stages: [stage], lists: [stage === 'processInput' ? 'input' : 'output'] });
}

test('a kill of NATS brings nothing back of runs that were suspended twice, answered and have ended', async () => {
  const gates = [askOnce('before', 'processInput'), askOnce('after', 'processOutputStep')];
  const driver = runs.driver(...Array.from({ length: RUNS }, () => ({ text: 'Hello.' })));
  const agent = await driver.apply({}, makePlan(gates));
  const all: DrivenRun[] = [];
  for (let n = 0; n < RUNS; n += 1) {
    const run = await driver.begin({ agent });
    await run.drive();
    all.push(run);
  }
  runs.orchestrator(...Array.from({ length: RUNS }, () => ({ text: 'Hello.' })));
  for (const run of all) {
    for (const times of [1, 2]) {
      await runs.becomes(run, 'suspended');
      const [pending] = await runs.pending(run);
      await runs.resume(run, pending?.resumeToken ?? '', times);
      await runs.changes(async () => (await run.head())?.epoch.toString(), String(times));
    }
    await runs.becomes(run, 'finished');
  }
  const listKept = async () => Promise.all(all.map((run) => runs.listStoredKeys(run)));
  const lasting = await Promise.all(all.map((run) => runs.lastingKeys(run)));
  await eventually(async () => JSON.stringify(await listKept()) === JSON.stringify(lasting));

  await nats.kill();
  await nats.start();
  await eventually(() => connection.bus.hasConnection(), { timeoutMs: 20_000 });
  await eventually(async () => (await listKept()).length === RUNS, { timeoutMs: 20_000 });
  expect(await listKept()).toEqual(lasting);
}, 90_000);
