// One tenant's backlog against the runs of others, over the real command queue.
import { OPERATOR_CALLER, RUN_SHARDS, computeHomeShard, buildTextMessage } from '@millrace/contracts';
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

const submit = (tenant: string, runId: string, agent: string) => {
  const messages = [buildTextMessage('m1', 'user', 'hello')];
  return submitRun(stream.access, { runId, tenant, agent, messages, requestContext: {}, deadlineMs: 60_000 }, 1);
};
const computeHome = (tenant: string) => computeHomeShard({ tenant, caller: OPERATOR_CALLER });
const readStatus = async (tenant: string, runId: string) =>
  (await readHead(stream.access, tenant, runId))?.value.status;

test('a run of a tenant without runs begins while another tenant has a backlog and keeps every place that it may take', async () => {
  const gate = Promise.withResolvers<void>();
  const answers = Array.from({ length: 200 }, () => ({ text: 'Hello.', until: gate.promise }));
  const { apply } = orchestrator(...answers);
  const agent = await apply();
  const backlog = Array.from({ length: 200 }, (_, at) => `noisy-${at}`);
  for (const runId of backlog) await submit('acme', runId, agent);
  await eventually(async () => (await readStatus('acme', 'noisy-7')) === 'running');

  // All shards are among their homes, that of the backlog more than once. Their runs end at once: they have no agent.
  const quiet = Array.from({ length: 3 * RUN_SHARDS }, (_, at) => `quiet-${at}`);
  expect(quiet.filter((tenant) => computeHome(tenant) === computeHome('acme')).length).toBeGreaterThan(1);
  for (const tenant of quiet) await submit(tenant, 'r1', 'nosuch');
  for (const tenant of quiet) await eventually(async () => (await readStatus(tenant, 'r1')) === 'failed');
  const statuses = await Promise.all(backlog.map((runId) => readStatus('acme', runId)));
  expect(statuses.filter((status) => status === 'running')).toHaveLength(8);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(192);
  gate.resolve();
});
