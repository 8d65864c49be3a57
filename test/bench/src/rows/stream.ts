// Cost of the bus: one call, and chunks through sessions.
import { needPass, needSix, type Measure } from '../bench-context.ts';
import { passService, round, row, runProgram } from '../measure.ts';

const THREE = 'pass-a,pass-b,pass-c';

export const stageHop: Measure = async (context) => {
  await needSix(context);
  const {
    p50 = 0,
    p99 = 0,
    rawP50 = 0,
    rawP99 = 0,
    calls = 0,
  } = await runProgram('orchestrator', 'stage-hop.ts', {
    NATS_URL: context.natsUrl,
  });
  return row('stage-hop', 'ms p50', p50, rawP50, { p99: round(p99), rawP99: round(rawP99), calls });
};

export function chunks(name: string, runs: number): Measure {
  return async (context) => {
    await needSix(context);
    const env = { NATS_URL: context.natsUrl, RUNS: String(runs) };
    const through = await runProgram('orchestrator', 'chunks.ts', { ...env, PROCESSORS: THREE });
    const none = await runProgram('orchestrator', 'chunks.ts', { ...env, PROCESSORS: '' });
    const { chunksPerSecond = 0, cpuShare = 0 } = through;
    return row(name, 'chunks/s', chunksPerSecond, none['chunksPerSecond'] ?? 0, {
      runs,
      orchestratorCores: round(cpuShare),
    });
  };
}

const CHUNKS = 20;
const DELAY_MS = 5;
const SLOW = ['slow-a', 'slow-b', 'slow-c'];

/** Processors with a delay per chunk work concurrently on different chunks; the baseline is the theoretical optimum. */
export const pipeline: Measure = async (context) => {
  for (const name of SLOW) await needPass(context, [name], { DELAY_MS: String(DELAY_MS) });
  const env = { NATS_URL: context.natsUrl, RUNS: '1', CHUNKS: String(CHUNKS), PROCESSORS: SLOW.join(',') };
  const { runMs = 0 } = await runProgram('orchestrator', 'chunks.ts', env);
  const best = (CHUNKS + SLOW.length - 1) * DELAY_MS;
  return row('pipeline', 'ms for 20 chunks through 3 x 5 ms, p50', runMs, best);
};

const CALL_MS = 20;
const AT_ONCE = '64';

/** A processor that handles one call at a time, in one, two and four replicas. */
export const replicas: Measure = async (context) => {
  const perSecond: number[] = [];
  for (const count of [1, 2, 4]) {
    const missing = count - context.stack.pids().filter(({ service }) => service === 'serial').length;
    for (let more = 0; more < missing; more += 1)
      await context.stack.startProgram('serial', passService, {
        NAMES: 'serial',
        DELAY_MS: String(CALL_MS),
        SERIAL: '1',
      });
    const env = { NATS_URL: context.natsUrl, PROCESSOR: 'serial', AT_ONCE };
    perSecond.push((await runProgram('orchestrator', 'stage-calls.ts', env))['callsPerSecond'] ?? 0);
  }
  const [one = 0, two = 0, four = 0] = perSecond;
  return row('replicas', 'calls/s of 20 ms each, 4 replicas', four, one, { two: round(two) });
};
