// The index of runs: each orchestrator holds the heads of all tenants in memory, from a watch of the bucket. While it is
// loaded, or if there are too many runs, it has no lists, and the heads are read for each request.
import { stateKeys, toWireError } from '@millrace/contracts';
import { watchKeys, type JetStreamAccess } from '@millrace/bus';
import { createRunList, type ListedRun, type RunList } from './run-list.ts';
import { listedHeadSchema } from './stored-runs.ts';

export type RunIndex = {
  /** Returns the runs of a tenant; undefined if the index is not complete. */
  find(tenant: string): RunList | undefined;
  /** Forgets all runs and reads the bucket again, after the bucket was recreated. */
  reload(): void;
  stop(): void;
};

/** @param maxRuns of all tenants together; 0: no index. Loads the index in the background. */
export function openRunIndex(access: JetStreamAccess, { maxRuns }: { maxRuns: number }): RunIndex {
  const { log } = access.bus;
  let current = startLoading(access, maxRuns);
  return {
    find: (tenant) => current.find(tenant),
    reload() {
      current.stop();
      log.info({}, 'index of runs is loaded again');
      current = startLoading(access, maxRuns);
    },
    stop: () => current.stop(),
  };
}

function startLoading(access: JetStreamAccess, maxRuns: number): Omit<RunIndex, 'reload'> {
  const { log, names } = access.bus;
  const lists = new Map<string, RunList>();
  const none = createRunList();
  const isOver = new AbortController();
  let isLoaded = false;
  let size = 0;
  const abandon = (reason: string) => {
    log.warn({ reason }, 'runs are not indexed: lists of runs read all heads');
    isOver.abort();
    lists.clear();
  };
  const change = (key: string, make: (list: RunList, runId: string) => void) => {
    const [, tenant = '', runId = ''] = key.split('.');
    const list = lists.get(tenant) ?? createRunList();
    const before = list.size();
    lists.set(tenant, list);
    make(list, runId);
    size += list.size() - before;
    if (list.size() === 0) lists.delete(tenant);
    if (size > maxRuns) abandon(`there are more than ${maxRuns}`);
  };
  const listener = {
    put(key: string, data: Uint8Array, revision: number) {
      if (isOver.signal.aborted) return;
      const head = readHead(data);
      change(key, (list, runId) => (head ? list.put({ ...head, revision }) : list.remove(runId)));
    },
    onRemoved: (key: string) => isOver.signal.aborted || change(key, (list, runId) => list.remove(runId)),
    onLoaded: () => void (isLoaded = true),
  };
  const watching = watchKeys(access, names.state, stateKeys.allHeads, listener).then(
    (stop) => (isOver.signal.aborted ? stop() : isOver.signal.addEventListener('abort', stop)),
    (error: unknown) => abandon(toWireError(error).message),
  );
  void watching;
  return {
    find: (tenant) => (isLoaded && !isOver.signal.aborted ? (lists.get(tenant) ?? none) : undefined),
    stop: () => isOver.abort(),
  };
}

/** Returns undefined for a head that this version cannot read. */
function readHead(data: Uint8Array): Omit<ListedRun, 'revision'> | undefined {
  try {
    return listedHeadSchema.parse(JSON.parse(Buffer.from(data).toString()));
  } catch {
    return undefined;
  }
}
