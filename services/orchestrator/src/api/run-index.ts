// The index of runs: each orchestrator holds the heads of all tenants in memory. It reads the changed heads of the bucket
// before each list and periodically, so that a head that changed several times in between is read once. A list waits until
// the index is loaded. If there are too many runs, the index has no lists, and the heads are read for each request.
import { stateKeys, toWireError } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { LARGE_PAGE_MESSAGES, readPages, type StoredMessage } from '../streams/read-stored.ts';
import { createRunList, type RunList } from './run-list.ts';
import { listedHeadSchema, type ListedHead } from './stored-runs.ts';

export type RunIndex = {
  /** Returns the runs of a tenant as the bucket holds them now; undefined if the index cannot be read. */
  find(tenant: string): Promise<RunList | undefined>;
  /** Returns them without waiting, as they were a few seconds ago. */
  findRecent(tenant: string): RunList | undefined;
  /** Forgets all runs and reads the bucket again, after the bucket was recreated. */
  reload(): void;
  stop(): void;
};
type LoadedIndex = Omit<RunIndex, 'reload'>;

/** Bounds the changes that a list has to read first. */
const REFRESH_EVERY_MS = 5_000;

/** @param maxRuns of all tenants together; 0: no index. Loads the index in the background. */
export function openRunIndex(access: JetStreamAccess, { maxRuns }: { maxRuns: number }): RunIndex {
  const { log } = access.bus;
  const load = (): LoadedIndex => (maxRuns === 0 ? NO_INDEX : loadIndex(access, maxRuns));
  let current = load();
  return {
    find: (tenant) => current.find(tenant),
    findRecent: (tenant) => current.findRecent(tenant),
    reload() {
      current.stop();
      log.info({}, 'index of runs is loaded again');
      current = load();
    },
    stop: () => current.stop(),
  };
}

const NO_INDEX: LoadedIndex = {
  find: () => Promise.resolve(undefined),
  findRecent: () => undefined,
  stop: () => undefined,
};

function loadIndex(access: JetStreamAccess, maxRuns: number): LoadedIndex {
  const { log } = access.bus;
  const lists = new Map<string, RunList>();
  const none = createRunList();
  const isOver = new AbortController();
  let isComplete = false;
  let size = 0;
  const change = (subject: string, make: (list: RunList, runId: string) => void) => {
    const [tenant = '', runId = ''] = subject.split('.').slice(-2);
    const list = lists.get(tenant) ?? createRunList();
    const before = list.count();
    lists.set(tenant, list);
    make(list, runId);
    size += list.count() - before;
    if (list.count() === 0) lists.delete(tenant);
  };
  const readChanges = createHeadReader(access);
  const read = async () => {
    for await (const { found, absent } of readChanges()) {
      if (isOver.signal.aborted) return;
      for (const { value, subject, sequence } of found)
        change(subject, (list) => list.put({ ...value, revision: sequence }));
      for (const { subject, sequence } of absent) change(subject, (list, runId) => list.remove(runId, sequence));
      if (size > maxRuns) return stop(`there are more than ${maxRuns}`);
    }
    isComplete = true;
  };
  const refresh = shareCalls(() =>
    read().catch((error: unknown) => {
      isComplete = false;
      log.warn({ reason: toWireError(error).message }, 'the index of runs was not refreshed');
    }),
  );
  const timer = setInterval(() => void refresh(), REFRESH_EVERY_MS).unref();
  const stop = (reason?: string) => {
    if (reason !== undefined) log.warn({ reason }, 'runs are not indexed: lists of runs read all heads');
    isOver.abort();
    clearInterval(timer);
    lists.clear();
  };
  void refresh();
  const findRecent = (tenant: string) =>
    isComplete && !isOver.signal.aborted ? (lists.get(tenant) ?? none) : undefined;
  return {
    async find(tenant) {
      if (!isOver.signal.aborted) await refresh();
      return findRecent(tenant);
    },
    findRecent,
    stop: () => stop(),
  };
}

type HeadChanges = {
  found: StoredMessage<ListedHead>[];
  /** Keys that were removed, or whose head cannot be read, with the sequence of that. */
  absent: { subject: string; sequence: number }[];
};

/**
 * Returns a function that reads the heads that changed since its last call. If a page fails, the next call reads it again. A key
 * can be in both lists of a page: the higher sequence counts.
 */
function createHeadReader(access: JetStreamAccess): () => AsyncGenerator<HeadChanges> {
  const { state } = access.bus.names;
  const stream = `KV_${state}`;
  const subject = `$KV.${state}.${stateKeys.allHeads}`;
  let next = 1;
  return async function* readChanges() {
    let absent: HeadChanges['absent'] = [];
    const onAbsent = (key: string, sequence: number) => void absent.push({ subject: key, sequence });
    const query = { stream, subject, schema: listedHeadSchema, onAbsent };
    for await (const found of readPages(access, query, next, LARGE_PAGE_MESSAGES)) {
      yield { found, absent };
      next = Math.max(next, (found.at(-1)?.sequence ?? 0) + 1, (absent.at(-1)?.sequence ?? 0) + 1);
      absent = [];
    }
  };
}

/**
 * Returns a function that runs `work` once at a time. A call during a run waits for a run that begins after the call, which all
 * such calls share: its result contains everything that was stored before the call.
 */
function shareCalls(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  const begin = () => (current = work().finally(() => (current = undefined)));
  return () => {
    if (!current) return begin();
    following ??= current.then(() => {
      following = undefined;
      return begin();
    });
    return following;
  };
}
