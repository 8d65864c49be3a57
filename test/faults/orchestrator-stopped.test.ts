// One of two orchestrators is stopped, as by SIGSTOP: its connection stays, and it still receives its share of the questions.
import { eventually, useNats, useStack } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'orchestrator']);
const stopped: number[] = [];
const long = script({ text: 'word '.repeat(500), chunkSize: 5, delayMs: 50 });
const resume = () => {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
};
afterEach(resume);

async function stopOne(): Promise<void> {
  const isOrchestrator = (name: string) => name === 'orchestrator';
  await eventually(async () => (await stack.discovered()).filter(isOrchestrator).length === 2, { timeoutMs: 30_000 });
  const one = stack.pids().find(({ service }) => service === 'orchestrator');
  if (!one) throw new Error('there is no orchestrator');
  process.kill(one.pid, 'SIGSTOP');
  stopped.push(one.pid);
}

test('submissions, reads and cancels are answered by the other one, most of them within a second or two', async () => {
  await stack.client.agents.apply({ name: 'patient', model: 'openai/gpt-5-mini' });
  await stopOne();
  const runs = Array.from({ length: 16 }, async (_, at) => {
    const startedAt = performance.now();
    const run = await stack.client.start('patient', long, {
      runId: `stopped-${at}`,
    });
    const acceptedMs = performance.now() - startedAt;
    await stack.client.runs.get(run.runId);
    await run.cancel();
    return { status: (await run.result()).status, acceptedMs };
  });
  const all = await Promise.all(runs);
  // A run that the stopped one took before is cancelled by its next owner.
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 'cancelled'));
  const byTime = all.map(({ acceptedMs }) => acceptedMs).toSorted((one, other) => one - other);
  expect(byTime[7]).toBeLessThan(3_000);
  expect(byTime[15]).toBeLessThan(15_000);
}, 90_000);

test('a submission that the caller gave up is cancelled when the stopped one reads it', async () => {
  await stopOne();
  const runIds = Array.from({ length: 12 }, (_, at) => `given-up-${at}`);
  await Promise.all(
    runIds.map((runId) =>
      stack.client
        .start('patient', long, { runId, signal: AbortSignal.timeout(300) })
        .then((run) => run.result())
        .catch(() => undefined),
    ),
  );
  resume();
  const statuses = async () => {
    const { runs } = await stack.client.runs.list({ limit: 1_000 });
    return runs.filter(({ runId }) => runIds.includes(runId)).map(({ status }) => status);
  };
  await eventually(async () => (await statuses()).length === runIds.length, { timeoutMs: 30_000 });
  const isOpen = (status: string) => status === 'queued' || status === 'running';
  await eventually(async () => !(await statuses()).some(isOpen), { timeoutMs: 30_000 });
  expect(await statuses()).toEqual(runIds.map(() => 'cancelled'));
}, 60_000);
