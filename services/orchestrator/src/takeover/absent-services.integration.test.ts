// After the restart of a whole machine the services start later than the orchestrator that takes a run over.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createRunStop } from '../state/run-stop.ts';
import { makeText } from '../testing/chunks.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { driver } = useSuspendedRuns(stream);

test('A run that is taken over waits for a service longer than the time of its entry', async () => {
  const judge = planEntry('p', {
    lists: ['output'],
    stages: ['processOutputStep'],
    timeoutMs: 200,
    reads: ['response'],
  });
  const first = driver({ text: 'It is', until: new Promise(() => undefined) });
  const second = driver({ text: 'Noon.' });
  const run = await first.begin({ agent: await first.apply({}, makePlan([judge])) });
  void run.drive().catch(() => undefined);
  await eventually(() => makeText(run.chunks()) === 'It is');
  run.fence();

  const driving = driveRun(second.deps, run.delivery, createRunStop());
  await delay(800);
  const replica = scriptReplica(connection.bus, 'processOutputStep', ['p'], () => [goOn]);
  await driving;
  expect(await run.end()).toMatchObject({ result: { status: 'finished', text: 'Noon.' } });
  expect(replica.calls).toEqual(['p']);
});
