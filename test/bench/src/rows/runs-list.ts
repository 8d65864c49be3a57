// Time of a page of a list of runs, among 100,000 stored runs.
import { connect, type Client } from '@millrace/client';
import { connectBus } from '@millrace/testkit/bench';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext, Measure } from '../bench-context.ts';
import { median } from '../load.ts';
import { round, row } from '../measure.ts';
import { withOwnStack } from './latency.ts';

const RUNS = 100_000;
const PAGE = 50;
const REQUESTS = 30;
const BUCKET = 'mr_v1_STATE';
const FLUSH_EVERY = 1_000;

/** A rare filter: one run of a hundred. */
const list = (client: Client) => client.runs.list({ limit: PAGE, newest: true, status: 'failed', agent: 'bare' });

/** The baseline has no index, so that the orchestrator reads all heads for each page. */
export const runsList: Measure = (shared) =>
  withOwnStack(shared, async ({ stack, context }) => {
    await stack.start('orchestrator');
    await writeHeads(context);
    const client = await connect({ url: context.natsUrl });
    const measure = async (env: Record<string, string>, requests: number) => {
      await stack.signal('orchestrator', 'SIGTERM');
      const begun = performance.now();
      await stack.start('orchestrator', env);
      // The first page waits until the index is loaded.
      const ms: number[] = [];
      let loadedMs: number | undefined;
      while (ms.length < requests) {
        const asked = performance.now();
        // Without an index a page may take longer than the client waits: it counts as the time of the wait.
        const page = await list(client).catch(() => undefined);
        if (page && page.runs.length !== PAGE) throw new Error(`a page has ${page.runs.length} runs`);
        const took = performance.now() - asked;
        if (took < 300) loadedMs ??= performance.now() - begun;
        if (loadedMs !== undefined || env['MAX_INDEXED_RUNS'] === '0') ms.push(took);
        await delay(20);
      }
      const pid = stack.pids().find(({ service }) => service === 'orchestrator')?.pid;
      const rssMb = Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
      return { ms: median(ms), longest: Math.max(...ms), rssMb, loadedMs: loadedMs ?? 0 };
    };
    const without = await measure({ MAX_INDEXED_RUNS: '0' }, 3);
    const indexed = await measure({}, REQUESTS);
    await client.close();
    return row('runs-list', 'ms a page, p50', indexed.ms, without.ms, {
      longest: round(indexed.longest),
      runs: RUNS,
      loadedMs: round(indexed.loadedMs),
      rssMb: round(indexed.rssMb),
      rssWithoutMb: round(without.rssMb),
    });
  });

async function writeHeads({ natsUrl }: BenchContext): Promise<void> {
  const bus = await connectBus({ servers: natsUrl, name: 'bench-heads' });
  const now = Date.now();
  for (let at = 0; at < RUNS; at += 1) {
    const runId = crypto.randomUUID();
    const head = {
      v: 3,
      tenant: 'default',
      runId,
      agent: at % 2 === 0 ? 'bare' : 'demo',
      requestHash: 'x'.repeat(43),
      status: at % 50 === 0 ? 'failed' : 'finished',
      owner: 'd00ea35e56df4787',
      epoch: 1,
      write: 4,
      command: at,
      records: 3,
      nextIndex: 12,
      owners: [{ epoch: 1, index: 0, firstRecord: 0 }],
      takeovers: 0,
      threadId: `thread-${at % 10_000}`,
      resourceId: `user-${at % 1_000}`,
      submittedAt: now + at,
      startedAt: now + at,
      deadlineAt: now + 600_000,
      ended: { at: new Date(now).toISOString(), step: 1 },
      end: { name: '1-x', revision: at },
    };
    bus.nc.publish(`$KV.${BUCKET}.head.default.${runId}`, JSON.stringify(head));
    if (at % FLUSH_EVERY === 0) await bus.nc.flush();
  }
  const isStored = async () => {
    const info = await bus.nc.request(`$JS.API.STREAM.INFO.KV_${BUCKET}`);
    return info.json<{ state: { messages: number } }>().state.messages >= RUNS;
  };
  while (!(await isStored())) await delay(200);
  await bus.close();
}
