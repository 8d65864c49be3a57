// What a run asks of the stores: operations of JetStream, and threads of any length.
import { connectBus } from '@millrace/testkit/bench';
import type { Measure } from '../bench-context.ts';
import { costOf, manyRuns, median, MODEL, scripted } from '../load.ts';
import { round, row, runProgram } from '../measure.ts';
import { applySix } from './runs.ts';

const RUNS = 10;

/** Writes, requests and acknowledgements of JetStream. What an orchestrator asks of its own accord is left out. */
export const operations: Measure = async (context) => {
  await applySix(context);
  const { client } = context.stack;
  await client.agents.apply({ name: 'bench-bare', model: MODEL });
  const bus = await connectBus({ servers: context.natsUrl, name: 'bench-spy' });
  const { subjects } = bus;
  let count = 0;
  const watched = ['$JS.API.STREAM.MSG.GET.>', '$JS.API.DIRECT.>', '$JS.API.CONSUMER.MSG.NEXT.>', '$JS.ACK.>', '$KV.>'];
  // A command is seen twice: as it is queued, and as it is given to an orchestrator.
  for (const subject of [...watched, subjects.logs, subjects.allEvents, `${subjects.prefix}.api.submit.>`])
    bus.nc.subscribe(subject, { callback: () => void (count += 1) });
  const counted = async (agent: string) => {
    const load = { agent, input: scripted(0), atOnce: 1, total: RUNS };
    await manyRuns(client, load);
    await bus.nc.flush();
    count = 0;
    await manyRuns(client, load);
    await bus.nc.flush();
    return count / RUNS;
  };
  const six = await counted('bench-six');
  const bare = await counted('bench-bare');
  await bus.close();
  return row('operations', 'operations of JetStream a run', six, bare);
};

const THREADS = [10, 1_000, 100_000];

/** Runs in threads that have so many messages: the next turn reads ten of them, however many there are. Redis. */
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
    const load = { agent: 'bench-six', input: scripted(0), atOnce: 1, threadId };
    await manyRuns(client, { ...load, total: 40 });
    const { ms } = await manyRuns(client, { ...load, total: 20 });
    const { cpuMs } = await costOf(context, { ...load, total: 60 });
    figures.push(cpuMs);
    detail[`cpu${size}`] = round(cpuMs);
    detail[`ms${size}`] = round(median(ms));
  }
  const [short = 0, , long = 0] = figures;
  return row('threads', 'ms of processor time a run, 100,000 messages', long, short, detail);
};
