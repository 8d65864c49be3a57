// Measures stage calls per second of one PROCESSOR with AT_ONCE calls in flight, through all its replicas. Prints JSON.
import { listEntries, buildTextMessage, type StageInput } from '@millrace/contracts';
import { callProcessors } from '../src/calls/call-processors.ts';
import { openBench } from './bench-run.ts';

const WARMUP_MS = 1_000;
const MEASURE_MS = 5_000;

const { createRun, close } = await openBench(process.env['NATS_URL'] ?? '');
const processor = process.env['PROCESSOR'] ?? '';
const message = buildTextMessage('m1', 'user', 'A question of ordinary length, as people ask them all day long.');
const conversation = { entries: [{ source: 'input' as const, message }], system: [] };
const input: StageInput = { retryCount: 0, stepNumber: 0, conversation };

let calls = 0;
let stop = false;
async function runWorker(): Promise<void> {
  const run = createRun([processor], 'processInput');
  const group = listEntries(run.plan, 'processInput');
  // oxlint-disable-next-line no-unmodified-loop-condition -- set below, when the measuring is over
  while (!stop) {
    const ask = { stage: 'processInput' as const, input, receiveData: () => undefined };
    const [judged] = await Array.fromAsync(callProcessors(run, group, ask));
    if (judged?.verdict.type !== 'continue') throw new Error(`it answered ${JSON.stringify(judged)}`);
    calls += 1;
  }
}
const workers = Array.from({ length: Number(process.env['AT_ONCE'] ?? '1') }, runWorker);
await new Promise((resolve) => setTimeout(resolve, WARMUP_MS));
const before = calls;
const started = performance.now();
await new Promise((resolve) => setTimeout(resolve, MEASURE_MS));
const callsPerSecond = (calls - before) / ((performance.now() - started) / 1_000);
stop = true;
await Promise.all(workers);
console.log(JSON.stringify({ callsPerSecond }));
await close();
process.exit();
