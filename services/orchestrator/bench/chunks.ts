// Measures chunks per second through the orchestrator's end of the stream path, fed from memory: PROCESSORS
// (comma-separated, none: no processors) in services of their own, RUNS concurrent runs, CHUNKS per run (default 200).
// Prints JSON; `runMs` is the median duration of a run.
import type { Chunk } from '@millrace/contracts';
import { openOutputChain } from '../src/sessions/output-chain.ts';
import { openBench } from './bench-run.ts';

const CHUNKS = Number(process.env['CHUNKS'] ?? '200');
const WARMUP_MS = 2_000;
const MEASURE_MS = 6_000;

const { createRun, close } = await openBench(process.env['NATS_URL'] ?? '');
const processors = (process.env['PROCESSORS'] ?? '').split(',').filter((name) => name !== '');
const runs = Number(process.env['RUNS'] ?? '1');

let counting = false;
let passed = 0;
let stop = false;

const runsMs: number[] = [];

async function streamRun(): Promise<void> {
  const run = createRun(processors, 'processOutputStream');
  const { runId } = run.ref;
  let out = 0;
  const output = (chunks: readonly Chunk[]) => void (out += chunks.length);
  const chain = await openOutputChain(
    run,
    { retryCount: 0, stepNumber: 0 },
    { output, retract() {}, listPassed: () => [] },
  );
  const begun = performance.now();
  for (let at = 0; at < CHUNKS; at++) {
    chain.push([{ type: 'text-delta', runId, from: 'AGENT', payload: { id: 'text-1', text: ` word${at}` } }]);
    // A model's stream gives one chunk a turn of the microtask queue.
    await chain.awaitRoom();
  }
  const fold = await chain.end();
  if (fold.stopped || out !== CHUNKS)
    throw new Error(`a run passed ${out} of ${CHUNKS} chunks: ${JSON.stringify(fold.outcomes)}`);
  if (!counting) return;
  passed += CHUNKS;
  runsMs.push(performance.now() - begun);
}

async function runWorker(): Promise<void> {
  // oxlint-disable-next-line no-unmodified-loop-condition -- set below, when the measuring is over
  while (!stop) {
    await streamRun();
    // Without processors nothing waits for the bus: the timers need their turn.
    if (processors.length === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

const workers = Array.from({ length: runs }, runWorker);
await new Promise((resolve) => setTimeout(resolve, WARMUP_MS));
counting = true;
const started = performance.now();
const cpu = process.cpuUsage();
await new Promise((resolve) => setTimeout(resolve, MEASURE_MS));
const seconds = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const chunksPerSecond = passed / seconds;
stop = true;
await Promise.all(workers);
const runMs = runsMs.toSorted((one, other) => one - other)[runsMs.length >> 1] ?? 0;
console.log(JSON.stringify({ chunksPerSecond, cpuShare: (user + system) / 1e6 / seconds, runMs }));
await close();
process.exit();
