// Runs as the rows need them: what the stand-in for the model is to say, many runs at once, and what they cost each process.
import type { Client } from '@millrace/client';
import type { BenchContext } from './bench-context.ts';
import { cpuMs } from './measure.ts';

export const MODEL = 'openai-chat/stand-in';
export const DELTAS = 200;

/** An input that has the model say so many pieces of text. */
export function words(delayMs: number, deltas: number = DELTAS): string {
  const text = Array.from({ length: deltas }, (_, at) => `wd${String(at).padStart(3, '0')} `).join('');
  return `Go on.\n\`\`\`script\n${JSON.stringify([{ text, chunkSize: 6, delayMs }])}\n\`\`\``;
}

export type Load = {
  agent: string;
  input: string;
  atOnce: number;
  total: number;
  /** Each run's own if absent. */
  threadId?: string;
};

let threads = 0;

/** `atOnce` at a time; resolves with the seconds that it took, and how long each run took, ms. */
export async function manyRuns(client: Client, load: Load): Promise<{ seconds: number; ms: number[] }> {
  const { agent, input, atOnce, total } = load;
  const started = performance.now();
  const ms: number[] = [];
  let left = total;
  const worker = async (_: unknown, at: number) => {
    while (left-- > 0) {
      const begun = performance.now();
      const threadId = load.threadId ?? `bench-${agent}-${threads++}`;
      const run = await client.start(agent, input, { threadId, resourceId: `bench-${at}` });
      let last = '';
      for await (const chunk of run.fullStream) last = chunk.type;
      if (last !== 'finish')
        throw new Error(`a run of ${agent} ended with ${last}: ${JSON.stringify((await run.result()).error)}`);
      ms.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { seconds: (performance.now() - started) / 1_000, ms };
}

export type Cost = { runsPerSecond: number; cpuMs: number; byProcess: Record<string, number> };

/** Processor time of all processes but the model's stand-in, a run. */
export async function costOf(context: BenchContext, load: Load): Promise<Cost> {
  const { stack, natsPid, redisPid } = context;
  const pids = [
    { service: 'nats', pid: natsPid },
    ...(redisPid === undefined ? [] : [{ service: 'redis', pid: redisPid }]),
    { service: 'client', pid: process.pid },
    ...stack.pids().filter(({ service }) => service !== 'dev-model'),
  ];
  const used = () => Promise.all(pids.map(async ({ service, pid }) => ({ service, ms: await cpuMs(pid) })));
  const before = await used();
  const { seconds } = await manyRuns(stack.client, load);
  const after = await used();
  const byProcess: Record<string, number> = {};
  for (const [at, { service, ms }] of after.entries()) {
    const name = service.startsWith('pass') || service.startsWith('six') ? 'no-op services' : service;
    byProcess[name] = (byProcess[name] ?? 0) + (ms - (before[at]?.ms ?? 0)) / load.total;
  }
  const total = Object.values(byProcess).reduce((sum, ms) => sum + ms, 0);
  return { runsPerSecond: load.total / seconds, cpuMs: total, byProcess };
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}
