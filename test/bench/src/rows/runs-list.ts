// Time of a page of a list of runs, among 100,000 stored runs.
import { connect, type Client } from '@millrace/client';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Measure } from '../bench-context.ts';
import { median } from '../load.ts';
import { round, row } from '../measure.ts';
import { writeHeads } from '../write-heads.ts';
import { withOwnStack } from './latency.ts';

const RUNS = 100_000;
const PAGE = 50;
const REQUESTS = 30;

/** A rare filter: one run of a hundred. */
const list = (client: Client) => client.runs.list({ limit: PAGE, newest: true, status: 'failed', agent: 'bare' });

/** The baseline has no index, so that the orchestrator reads all heads for each page. */
export const runsList: Measure = (shared) =>
  withOwnStack(shared, async ({ stack, context }) => {
    await stack.start('orchestrator');
    await writeHeads(context.natsUrl, RUNS);
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
