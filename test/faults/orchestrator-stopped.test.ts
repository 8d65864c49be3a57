// One of two orchestrators is stopped by SIGSTOP: it remains connected and still receives its share of the requests.
import { eventually, freezeProcess, useNats, useStack } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'orchestrator'], undefined, { processes: 'all' });
const stopped: number[] = [];
const long = script({ text: 'word '.repeat(500), chunkSize: 5, delayMs: 50 });
const resume = () => {
  for (const pid of stopped.splice(0)) process.kill(pid, 'SIGCONT');
};
afterEach(resume);

async function stopOne(): Promise<void> {
  const isOrchestrator = (name: string) => name === 'orchestrator';
  await eventually(async () => (await stack.listDiscovered()).filter(isOrchestrator).length === 2, {
    timeoutMs: 30_000,
  });
  const one = stack.pids().find(({ service }) => service === 'orchestrator');
  if (!one) throw new Error('there is no orchestrator');
  await freezeProcess(one.pid);
  stopped.push(one.pid);
}

test('the other orchestrator answers submissions, reads and cancels, most of them within two seconds', async () => {
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
  // The next owner cancels a run that the stopped one took before.
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 'cancelled'));
  const byTime = all.map(({ acceptedMs }) => acceptedMs).toSorted((one, other) => one - other);
  expect(byTime[7]).toBeLessThan(3_000);
  expect(byTime[15]).toBeLessThan(15_000);
}, 90_000);

test('a submission that the caller abandoned is cancelled when the stopped orchestrator reads it', async () => {
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
