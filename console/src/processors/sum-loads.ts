// Sums the load of the replicas of a processor. Pure.
import type { ReplicaLoad } from '@millrace/contracts';

export type LoadSum = { calls: number; requests: number; errors: number; averageMs: number | undefined };

/** The average is that of all requests, whichever replica served them. */
export function sumLoads(loads: readonly ReplicaLoad[]): LoadSum {
  const sum = { calls: 0, requests: 0, errors: 0, ms: 0, timed: 0 };
  for (const { calls, requests, errors, averageMs } of loads) {
    sum.calls += calls;
    sum.requests += requests;
    sum.errors += errors;
    if (averageMs !== undefined) {
      sum.ms += averageMs * requests;
      sum.timed += requests;
    }
  }
  const { calls, requests, errors, ms, timed } = sum;
  return { calls, requests, errors, averageMs: timed === 0 ? undefined : ms / timed };
}
