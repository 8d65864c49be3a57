// Records of a run are deleted when it ends.
import { stateKeys } from '@millrace/contracts';
import { locateEntry } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRunStop } from '../state/run-stop.ts';
import { buildRecordName } from '../state/run-store.ts';
import { makeText } from '../testing/chunks.ts';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { driveRun } from './drive-run.ts';

const nats = useNats();
const stream = useJetStream(useBus(nats, 'orchestrator'));
const driver = (says: Parameters<typeof createDriver>[1]) => createDriver(stream, says);

test("a run that has ended leaves no record of any owner behind, because records hold the caller's text", async () => {
  const first = driver({ text: 'It is', until: new Promise<void>(() => {}) });
  const run = await first.begin({ agent: await first.apply() });
  void run.drive().catch(() => undefined);
  await eventually(() => makeText(run.chunks()) === 'It is');
  const { state: bucket } = stream.access.bus.names;
  const listStored = (epoch: number) =>
    locateEntry(
      stream.access,
      bucket,
      stateKeys.record('acme', run.runId, buildRecordName(epoch, epoch - 1)),
      z.unknown(),
    );
  expect(await listStored(1)).toHaveProperty('value');
  run.fence();
  await driveRun(driver({ text: 'Noon.' }).deps, run.delivery, createRunStop());
  expect(await run.head()).toMatchObject({ status: 'finished', epoch: 2 });
  expect(await listStored(1)).toEqual({ revision: 0 });
  expect(await listStored(2)).toEqual({ revision: 0 });
});
