// Operations of a run on the stores: those of JetStream, and threads of any length.
import { connectBus } from '@millrace/testkit/bench';
import type { Measure } from '../bench-context.ts';
import { measureLoad, manyRuns, median, MODEL, makeScript } from '../load.ts';
import { round, row, runProgram } from '../measure.ts';
import { applySix } from './runs.ts';

const RUNS = 10;

/** Counts writes, requests and acknowledgements of JetStream, without the periodic requests of an orchestrator. */
export const operations: Measure = async (context) => {
  await applySix(context);
  const { client } = context.stack;
  await client.agents.apply({ name: 'bench-bare', model: MODEL });
  const bus = await connectBus({ servers: context.natsUrl, name: 'bench-spy' });
  const { subjects } = bus;
  let count = 0;
  const watched = ['$JS.API.STREAM.MSG.GET.>', '$JS.API.DIRECT.>', '$JS.API.CONSUMER.MSG.NEXT.>', '$JS.ACK.>', '$KV.>'];
  // A command appears twice: when it is queued, and when an orchestrator receives it.
  for (const subject of [...watched, subjects.logs, subjects.allEvents, `${subjects.prefix}.api.submit.>`])
    bus.nc.subscribe(subject, { callback: () => void (count += 1) });
  const countStored = async (agent: string) => {
    const load = { agent, input: makeScript(0), atOnce: 1, total: RUNS };
    await manyRuns(client, load);
    await bus.nc.flush();
    count = 0;
    await manyRuns(client, load);
    await bus.nc.flush();
    return count / RUNS;
  };
  const six = await countStored('bench-six');
  const bare = await countStored('bench-bare');
  await bus.close();
  return row('operations', 'operations of JetStream a run', six, bare);
};

const THREADS = [10, 1_000, 100_000];

/** Runs in long threads: the next turn reads ten messages, for a thread of any length. Redis. */
export const threads: Measure = async (context) => {
  if (context.redisUrl === undefined) throw new Error('the row "threads" needs Redis, which this machine has not');
  await applySix(context);
  const { client } = context.stack;
  const figures: number[] = [];
  const detail: Record<string, number> = {};
  for (const size of THREADS) {
    const threadId = `filled-${size}`;
    const env = { REDIS_URL: context.redisUrl, THREAD: threadId, RESOURCE: 'bench-0', COUNT: String(size) };
    await runProgram('message-history', 'fill-thread.ts', env);
    const load = { agent: 'bench-six', input: makeScript(0), atOnce: 1, threadId };
    await manyRuns(client, { ...load, total: 40 });
    const { ms } = await manyRuns(client, { ...load, total: 20 });
    const { cpuMs } = await measureLoad(context, { ...load, total: 60 });
    figures.push(cpuMs);
    detail[`cpu${size}`] = round(cpuMs);
    detail[`ms${size}`] = round(median(ms));
  }
  const [short = 0, , long = 0] = figures;
  return row('threads', 'ms of processor time a run, 100,000 messages', long, short, detail);
};
