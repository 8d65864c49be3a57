// Waiting time of a quiet tenant's run while another tenant has thousands of runs in the queue.
import { connect } from '@millrace/client';
import type { Measure } from '../bench-context.ts';
import { MODEL, makeScript } from '../load.ts';
import { round, row } from '../measure.ts';
import { withOwnStack } from './latency.ts';

const BACKLOG = 10_000;
const QUIET_TENANTS = 40;
const RUNS_EACH = 5;
const MAX_RUNS = 16;
/** Concurrent submissions of the backlog. */
const SUBMIT_AT_ONCE = 32;

/**
 * Measures from the client's `start` to the run's first chunk, p99 over all runs of the quiet tenants; the baseline has
 * no backlog.
 */
export const noisyTenant: Measure = (shared) =>
  withOwnStack(shared, async ({ stack, context }) => {
    const env = { MAX_RUNS: String(MAX_RUNS), RUNS_PER_SECOND: '100000' };
    await stack.start('orchestrator', env);
    await stack.start('orchestrator', env);
    const openClient = async (tenant: string) => {
      const client = await connect({ url: context.natsUrl, tenant });
      await client.agents.apply({ name: 'bare', model: MODEL });
      return client;
    };
    const quiet = await Promise.all(
      Array.from({ length: QUIET_TENANTS }, (_, readPercentile) => openClient(`quiet-${readPercentile}`)),
    );
    const noisy = await openClient('noisy');
    const waits = async () => {
      const ms: number[] = [];
      for (let count = 0; count < RUNS_EACH; count += 1) {
        for (const client of quiet) {
          const begun = performance.now();
          const run = await client.start('bare', makeScript(0, 10));
          await run.fullStream[Symbol.asyncIterator]().next();
          ms.push(performance.now() - begun);
          await run.result();
        }
      }
      return ms.toSorted((one, other) => one - other);
    };
    await waits();
    const alone = await waits();
    let left = BACKLOG;
    const submit = async () => {
      while (left-- > 0) await noisy.start('bare', makeScript(100, 100));
    };
    await Promise.all(Array.from({ length: SUBMIT_AT_ONCE }, submit));
    const beside = await waits();
    await Promise.all([noisy, ...quiet].map((client) => client.close()));
    const at = (ms: readonly number[], part: number) => ms[Math.floor(ms.length * part)] ?? Number.NaN;
    return row('noisy-tenant', 'ms until the first chunk, p99', at(beside, 0.99), at(alone, 0.99), {
      p50: round(at(beside, 0.5)),
      longest: round(beside.at(-1) ?? 0),
      backlog: BACKLOG,
      orchestrators: 2,
      maxRuns: MAX_RUNS,
    });
  });
