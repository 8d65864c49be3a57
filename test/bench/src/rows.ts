// What is measured. Each row has a baseline from the same run, so that machines can be compared.
import type { Client } from '@millrace/client';
import type { Stack } from '@millrace/testkit/bench';
import { guardRows } from './guard-rows.ts';
import { cpuMs, passService, round, row, runProgram, type Row } from './measure.ts';

export type BenchContext = { natsUrl: string; natsPid: number; stack: Stack };
type Measure = (context: BenchContext) => Promise<Row>;

const THREE = 'pass-a,pass-b,pass-c';
const DELTAS = 200;

async function passServices(stack: Stack): Promise<void> {
  const there = await stack.discovered();
  for (const name of THREE.split(',')) {
    if (!there.includes(name)) await stack.startProgram(name, passService, { NAMES: name, LOG_LEVEL: 'warn' });
  }
}

async function stageHop({ natsUrl, stack }: BenchContext): Promise<Row> {
  await passServices(stack);
  const {
    p50 = 0,
    p99 = 0,
    rawP50 = 0,
    rawP99 = 0,
    calls = 0,
  } = await runProgram('stage-hop.ts', { NATS_URL: natsUrl });
  return row('stage-hop', 'ms p50', p50, rawP50, { p99: round(p99), rawP99: round(rawP99), calls });
}

function chunks(name: string, runs: number): Measure {
  return async ({ natsUrl, stack }) => {
    await passServices(stack);
    const env = { NATS_URL: natsUrl, RUNS: String(runs) };
    const through = await runProgram('chunks.ts', { ...env, PROCESSORS: THREE });
    const none = await runProgram('chunks.ts', { ...env, PROCESSORS: '' });
    const { chunksPerSecond = 0, cpuShare = 0 } = through;
    return row(name, 'chunks/s', chunksPerSecond, none['chunksPerSecond'] ?? 0, {
      runs,
      orchestratorCores: round(cpuShare),
    });
  };
}

function words(delayMs: number): string {
  const text = Array.from({ length: DELTAS }, (_, at) => `wd${String(at).padStart(3, '0')} `).join('');
  return `Go on.\n\`\`\`script\n${JSON.stringify([{ text, chunkSize: 6, delayMs }])}\n\`\`\``;
}

/** `total` runs, `atOnce` at a time; resolves with the seconds that it took. */
async function manyRuns(client: Client, agent: string, input: string, atOnce: number, total: number): Promise<number> {
  const started = performance.now();
  let left = total;
  const worker = async (_: unknown, at: number) => {
    for (let count = 0; left-- > 0; count++) {
      const run = await client.start(agent, input, {
        threadId: `bench-${agent}-${at}-${count}`,
        resourceId: `bench-${at}`,
      });
      let last = '';
      for await (const chunk of run.fullStream) last = chunk.type;
      if (last !== 'finish')
        throw new Error(`a run of ${agent} ended with ${last}: ${JSON.stringify((await run.result()).error)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (performance.now() - started) / 1_000;
}

const guards = {
  input: ['unicode-normalizer', 'prompt-injection', 'content-length'],
  output: ['content-length', 'keyword', 'pii'],
};
const model = 'openai-chat/stand-in';
const keyword = { use: 'keyword', options: { keywords: ['forbidden'] } };

async function runs16({ stack }: BenchContext): Promise<Row> {
  const { client } = stack;
  const memory = { lastMessages: 10, semanticRecall: true, workingMemory: { template: 'Name: {{name}}' } };
  const lists = { input: guards.input, output: ['content-length', keyword, 'pii'] };
  await client.agents.apply({ name: 'bench-demo', model, tools: ['calculator', 'clock'], memory, ...lists });
  await client.agents.apply({ name: 'bench-bare', model, tools: ['calculator', 'clock'] });
  const input = words(0);
  await manyRuns(client, 'bench-demo', input, 16, 32);
  await manyRuns(client, 'bench-bare', input, 16, 32);
  const demo = 96 / (await manyRuns(client, 'bench-demo', input, 16, 96));
  const bare = 192 / (await manyRuns(client, 'bench-bare', input, 16, 192));
  return row('runs-16', 'runs/s', demo, bare, { deltas: DELTAS });
}

async function paced64({ stack, natsPid }: BenchContext): Promise<Row> {
  const { client } = stack;
  await client.agents.apply({ name: 'bench-guarded', model, output: ['content-length', keyword, 'pii'] });
  await client.agents.apply({ name: 'bench-bare', model });
  const input = words(20);
  const pids = [
    natsPid,
    process.pid,
    ...stack
      .pids()
      .filter(({ service }) => service !== 'dev-model')
      .map(({ pid }) => pid),
  ];
  const used = async () => (await Promise.all(pids.map(cpuMs))).reduce((sum, ms) => sum + ms, 0);
  const perRun = async (agent: string) => {
    await manyRuns(client, agent, input, 64, 64);
    const before = await used();
    await manyRuns(client, agent, input, 64, 128);
    return ((await used()) - before) / 128;
  };
  const guarded = await perRun('bench-guarded');
  const bare = await perRun('bench-bare');
  return row('paced-64', 'ms of processor time a run', guarded, bare, { deltas: DELTAS, everyMs: 20 });
}

export const rows: Record<string, Measure> = {
  'stage-hop': stageHop,
  'chunks-3x16': chunks('chunks-3x16', 16),
  'chunks-3x1': chunks('chunks-3x1', 1),
  'runs-16': runs16,
  'paced-64': paced64,
  ...guardRows,
};
