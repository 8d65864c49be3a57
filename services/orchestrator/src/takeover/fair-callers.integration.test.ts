// One caller's backlog against the runs of other callers of its tenant, over the real command queue.
import { RUN_SHARDS, computeHomeShard, buildTextMessage } from '@millrace/contracts';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { submitRun } from '../api/submit-run.ts';
import { readHead } from '../head/run-head.ts';
import { useJetStream } from '../testing/jetstream.ts';
import { useSuspendedRuns } from '../testing/suspended-runs.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stream = useJetStream(connection);
const { orchestrator } = useSuspendedRuns(stream);

const submit = (caller: string, runId: string, agent: string) => {
  const messages = [buildTextMessage('m1', 'user', 'hello')];
  const request = { runId, tenant: 'acme', caller, agent, messages, requestContext: {}, deadlineMs: 60_000 };
  return submitRun(stream.access, request, 1);
};
const readStatus = async (runId: string) => (await readHead(stream.access, 'acme', runId))?.value.status;

test('a run of a caller without runs begins while another caller of the tenant has a backlog', async () => {
  const gate = Promise.withResolvers<void>();
  const answers = Array.from({ length: 200 }, () => ({ text: 'Hello.', until: gate.promise }));
  const { apply } = orchestrator(...answers);
  const agent = await apply();
  const backlog = Array.from({ length: 200 }, (_, at) => `busy-${at}`);
  for (const runId of backlog) await submit('ada', runId, agent);
  await eventually(async () => (await readStatus('busy-7')) === 'running');

  // Some have the home shard of the backlog. Their runs end at once: they have no agent.
  const callers = Array.from({ length: 3 * RUN_SHARDS }, (_, at) => `caller-${at}`);
  const homeOfCaller = (caller: string) => computeHomeShard({ tenant: 'acme', caller });
  expect(callers.filter((caller) => homeOfCaller(caller) === homeOfCaller('ada')).length).toBeGreaterThan(1);
  for (const caller of callers) await submit(caller, `of-${caller}`, 'nosuch');
  for (const caller of callers) await eventually(async () => (await readStatus(`of-${caller}`)) === 'failed');
  const statuses = await Promise.all(backlog.map((runId) => readStatus(runId)));
  expect(statuses.filter((status) => status === 'running')).toHaveLength(8);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(192);
  gate.resolve();
});
