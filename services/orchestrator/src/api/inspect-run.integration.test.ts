import { liveBatchSchema, WAITING_CHUNK, type RunInspection } from '@millrace/contracts';
import { listen } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDriver } from '../testing/driven-runs.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { noSaves } from '../testing/no-saves.ts';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { serveReports } from '../takeover/ask-owner.ts';
import { createInspectVerb } from './inspect-run.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);

/** Starts a run with a processor `slow` that answers when `finish` is called. */
async function heldRun() {
  const gate = Promise.withResolvers<void>();
  const replica = scriptReplica(connection.bus, 'processInput', ['slow'], async () => (await gate.promise, [goOn]));
  const made = createDriver(stream, { text: 'Hello.' });
  const reports = serveReports(connection.bus, made.deps.driven);
  onTestFinished(() => reports.drain(1_000));
  onTestFinished(() => gate.resolve());
  const plan = makePlan([planEntry('slow', { stages: ['processInput'], timeoutMs: 30_000 })]);
  const run = await made.begin({ agent: await made.apply({}, plan) });
  const driven = run.drive();
  const verb = createInspectVerb(stream.access, noSaves);
  const inspect = (): Promise<RunInspection> => verb({}, { caller: 'operator', tenant: 'acme', run: run.runId });
  await eventually(() => replica.calls.length === 1);
  return { run, inspect, reports, end: async () => (gate.resolve(), await driven) };
}

test('inspect reports the statement and the calls under way of a run, from the orchestrator that drives it', async () => {
  const { run, inspect, end } = await heldRun();
  expect(await inspect()).toMatchObject({
    runId: run.runId,
    status: 'running',
    epoch: 1,
    owner: { id: connection.bus.id, isAnswering: true },
    report: {
      doing: 'input',
      step: 0,
      calls: [{ kind: 'processor', stage: 'processInput', names: ['slow'], attempt: 1, state: 'asked' }],
    },
  });
  await end();
  const finished = await inspect();
  expect(finished).toMatchObject({ status: 'finished' });
  expect(finished).not.toHaveProperty('owner');
  expect(finished).not.toHaveProperty('report');
});

test('inspect reports an owner that does not answer', async () => {
  const { inspect, reports, end } = await heldRun();
  await reports.drain(1_000);
  const inspection = await inspect();
  expect(inspection.owner).toEqual({ id: connection.bus.id, isAnswering: false });
  expect(inspection).not.toHaveProperty('report');
  await end();
});

test('inspect refuses a run that has no head', async () => {
  const verb = createInspectVerb(stream.access, noSaves);
  await expect(verb({}, { caller: 'operator', tenant: 'acme', run: 'no-such-run' })).rejects.toMatchObject({
    code: 'run-unknown',
  });
});

test('followers of a run receive a transient chunk about a processor without an answer for 2 s', async () => {
  const { run, end } = await heldRun();
  const notices: unknown[] = [];
  const live = listen(
    connection.bus,
    connection.bus.subjects.chunks('acme', 'operator', run.runId),
    liveBatchSchema,
    (batch) => {
      const waiting = z.array(z.looseObject({ type: z.string(), data: z.unknown() })).parse(batch.transient ?? []);
      for (const { type, data } of waiting) if (type === WAITING_CHUNK) notices.push(data);
    },
  );
  onTestFinished(live.stop);
  await eventually(() => notices.length > 0, { timeoutMs: 8_000 });
  expect(notices).toMatchObject([{ kind: 'processor', names: ['slow'], stage: 'processInput', state: 'asked' }]);
  await end();
  // A reader that counts positions is not disturbed: the chunk has no index and no replay holds it.
  expect(run.chunks().map(({ type }) => type)).not.toContain(WAITING_CHUNK);
  expect((await run.end())?.result.status).toBe('finished');
});
