// Compares one validated stage call with a raw NATS request of the same bytes, pair by pair. Prints JSON.
import { buildTextMessage, type StageInput } from '@millrace/contracts';
import { callProcessors } from '../src/calls/call-processors.ts';
import { listEntries } from '@millrace/contracts';
import { openBench } from './bench-run.ts';

const WARMUP = 2_000;
const PAIRS = 10_000;

const { bus, createRun, close } = await openBench(process.env['NATS_URL'] ?? '');
const run = createRun(['pass-a'], 'processInput');
const group = listEntries(run.plan, 'processInput');
const message = buildTextMessage('m1', 'user', 'A question of ordinary length, as people ask them all day long.');
const input: StageInput = {
  retryCount: 0,
  stepNumber: 0,
  conversation: { entries: [{ source: 'input', message }], system: [] },
};
const ask = { stage: 'processInput' as const, input, receiveData: () => undefined };
const raw = Buffer.from(
  JSON.stringify({
    ...ask,
    callId: crypto.randomUUID(),
    run: run.ref,
    entries: group,
    requestContext: {},
    timeoutMs: 5_000,
  }),
);

const stage: number[] = [];
const baseline: number[] = [];
for (let at = 0; at < WARMUP + PAIRS; at++) {
  const first = performance.now();
  await bus.nc.request(bus.subjects.tool('pass-a', 'echo'), raw, { timeout: 5_000 });
  const second = performance.now();
  const [judged] = await Array.fromAsync(callProcessors(run, group, ask));
  const third = performance.now();
  if (judged?.verdict.type !== 'continue')
    throw new Error(`the pass-through processor answered ${JSON.stringify(judged)}`);
  if (at < WARMUP) continue;
  baseline.push(second - first);
  stage.push(third - second);
}
const findShare = (sorted: number[], share: number) =>
  sorted.toSorted((a, b) => a - b)[Math.floor(sorted.length * share)] ?? 0;
console.log(
  JSON.stringify({
    p50: findShare(stage, 0.5),
    p99: findShare(stage, 0.99),
    rawP50: findShare(baseline, 0.5),
    rawP99: findShare(baseline, 0.99),
    calls: PAIRS,
  }),
);
await close();
process.exit();
