// Runs for the rows: the model's text, concurrent runs, and their cost by process.
import type { Client, Run } from '@millrace/client';
import type { BenchContext } from './bench-context.ts';
import { cpuMs } from './measure.ts';

export const MODEL = 'openai-chat/stand-in';
export const DELTAS = 200;
/** Length of one piece of the model's text, in UTF-16 code units. */
const PIECE_CHARS = 6;

const PROSE = [
  'The harbour was quiet in the early morning, and the first boats had already left with the tide. ',
  'A baker carried warm bread along the quay, while gulls argued over the crumbs behind him. ',
  'Beyond the breakwater the sea was flat and grey, and the lamps of the far shore went out one by one. ',
  'An old engineer sat on a crate and repaired a pump with patient hands; she had done so every winter. ',
  'The children of the village passed on their way to school and asked her how the valve worked. ',
  'She showed them the spring, the seat and the small ring of rubber that keeps the water back. ',
].join('');

/** Prose of `deltas` pieces. */
export function prose(deltas: number = DELTAS): string {
  const chars = deltas * PIECE_CHARS;
  return PROSE.repeat(Math.ceil(chars / PROSE.length)).slice(0, chars);
}

/** Builds an input that makes the model answer with that prose, piece by piece, or `burst` pieces at a time. */
export function makeScript(delayMs: number, deltas: number = DELTAS, burst: number = 1): string {
  const element = { text: prose(deltas), chunkSize: PIECE_CHARS, delayMs, burst };
  return `Go on.\n\`\`\`script\n${JSON.stringify([element])}\n\`\`\``;
}

export type Load = {
  agent: string;
  input: string;
  atOnce: number;
  total: number;
  /** Default: a new one for each run. */
  threadId?: string;
  /** Text of each run; any if absent. */
  text?: string;
};

/**
 * Of all runs: number of text pieces that the client received, times from start to the first piece of a run, and gaps
 * between two pieces of a run.
 */
export type RunDelivery = { deltas: number; firstMs: number[]; gapMs: number[] };
export type Loaded = RunDelivery & { seconds: number; ms: number[] };

let threads = 0;

/** Starts `atOnce` runs at a time. @throws if a run does not finish, or its text differs */
export async function manyRuns(client: Client, load: Load): Promise<Loaded> {
  const { agent, input, atOnce, total } = load;
  const loaded: Loaded = { seconds: 0, ms: [], deltas: 0, firstMs: [], gapMs: [] };
  const started = performance.now();
  let left = total;
  const worker = async (_: unknown, at: number) => {
    while (left-- > 0) {
      const begun = performance.now();
      const threadId = load.threadId ?? `bench-${agent}-${threads++}`;
      const run = await client.start(agent, input, { threadId, resourceId: `bench-${at}` });
      await readRun(run, load, begun, loaded);
      loaded.ms.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  loaded.seconds = (performance.now() - started) / 1_000;
  return loaded;
}

async function readRun(run: Run, { agent, text }: Load, begun: number, seen: RunDelivery): Promise<void> {
  let got = '';
  let ended = '';
  let last: number | undefined;
  for await (const chunk of run.fullStream) {
    ended = chunk.type;
    if (chunk.type !== 'text-delta') continue;
    const now = performance.now();
    if (last === undefined) seen.firstMs.push(now - begun);
    else seen.gapMs.push(now - last);
    last = now;
    got += chunk.payload.text;
    seen.deltas += 1;
  }
  if (ended !== 'finish') {
    const { error } = await run.result();
    throw new Error(`a run of ${agent} ended with ${ended}: ${JSON.stringify(error)}`);
  }
  if (text !== undefined && got !== text) throw new Error(`a run of ${agent} gave another text: ${got}`);
}

export type Cost = RunDelivery & { runsPerSecond: number; cpuMs: number; byProcess: Record<string, number> };

/** Returns the processor time per run of all processes except dev-model. */
export async function measureLoad(context: BenchContext, load: Load): Promise<Cost> {
  const { stack, natsPid, redisPid } = context;
  const pids = [
    { service: 'nats', pid: natsPid },
    ...(redisPid === undefined ? [] : [{ service: 'redis', pid: redisPid }]),
    { service: 'client', pid: process.pid },
    ...stack.pids().filter(({ service }) => service !== 'dev-model'),
  ];
  const readCpu = () => Promise.all(pids.map(async ({ service, pid }) => ({ service, ms: await cpuMs(pid) })));
  const before = await readCpu();
  const { seconds, ...seen } = await manyRuns(stack.client, load);
  const after = await readCpu();
  const byProcess: Record<string, number> = {};
  for (const [at, { service, ms }] of after.entries()) {
    const name = service.startsWith('pass') || service.startsWith('six') ? 'no-op services' : service;
    byProcess[name] = (byProcess[name] ?? 0) + (ms - (before[at]?.ms ?? 0)) / load.total;
  }
  const total = Object.values(byProcess).reduce((sum, ms) => sum + ms, 0);
  const delivery = { ...seen, deltas: seen.deltas / load.total };
  return { ...delivery, runsPerSecond: load.total / seconds, cpuMs: total, byProcess };
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}

/** @param share 0.5 for the median */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0;
}
