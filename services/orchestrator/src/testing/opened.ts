// What a test opens in this process, ended after it.
import { afterEach } from 'vitest';
import type { ScriptedReplica } from './scripted-replica.ts';
import type { TestRun } from './test-run.ts';

/** Call it after useBus. What is pushed is ended after each test: replicas, then runs. */
export function useOpened(): { replicas: ScriptedReplica[]; runs: TestRun[] } {
  const replicas: ScriptedReplica[] = [];
  const runs: TestRun[] = [];
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    for (const run of runs.splice(0)) run.close();
  });
  return { replicas, runs };
}
