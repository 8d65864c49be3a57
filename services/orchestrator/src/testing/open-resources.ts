// Resources that a test opens in this process, closed after it.
import type { Serving } from '@millrace/bus';
import { afterEach } from 'vitest';
import type { ScriptedReplica } from './scripted-replica.ts';
import type { TestRun } from './test-run.ts';

export type Opened = { replicas: ScriptedReplica[]; servings: Serving[]; runs: TestRun[] };

/** Call it after useBus. Pushed resources are closed after each test: replicas and servings, then runs. */
export function useOpened(): Opened {
  const opened: Opened = { replicas: [], servings: [], runs: [] };
  const { replicas, servings, runs } = opened;
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await Promise.all(servings.splice(0).map((serving) => serving.drain(1_000)));
    for (const run of runs.splice(0)) run.close();
  });
  return opened;
}
