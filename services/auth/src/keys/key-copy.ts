// Holds a copy of the bucket of keys in memory: follows the bucket, checks that it has followed, and reads all of it
// again after a reconnect and after a loss. A copy that is behind would accept a revoked key.
import { setTimeout as delay } from 'node:timers/promises';
import { keyRecordSchema, toLoggedError, type KeyRecord } from '@millrace/contracts';
import {
  ensureBucket,
  readEntry,
  startHeartbeat,
  watchBucket,
  type BucketEntry,
  type JetStreamAccess,
} from '@millrace/bus';

export type KeyCopyOptions = {
  /** Called when this replica refuses the key from now on. */
  onRemoved: (id: string) => void;
  /** Copies of the bucket in a cluster of NATS servers. */
  replicas: number;
  /** Interval of the checks, ms. Default: 5,000. */
  checkMs?: number;
};

export type KeyCopy = {
  get(): Map<string, BucketEntry<KeyRecord>>;
  /** Adds an entry before the watch delivers it. An entry that the watch has delivered may be removed again by now. */
  put(id: string, entry: BucketEntry<KeyRecord>): void;
  /** Returns false while the bucket is read again: removals may be missing. */
  isCurrent(): boolean;
  stop(): void;
};

const MARKER_TTL_MS = 3_600_000;
const RETRY_MS = 1_000;
const CHECK_MS = 5_000;

/** @throws bus-unreachable, stream-mismatch */
export async function openKeyCopy(access: JetStreamAccess, options: KeyCopyOptions): Promise<KeyCopy> {
  const { bus } = access;
  const { onRemoved, replicas, checkMs = CHECK_MS } = options;
  const bucket = bus.names.keys;
  /** `seen`: the newest revision of the bucket that the watch has delivered. */
  const state = { known: new Map<string, BucketEntry<KeyRecord>>(), isCurrent: false, isStopped: false, seen: 0 };
  let stopWatch = () => undefined as void;

  const load = async () => {
    const { prefix } = bus.subjects;
    await ensureBucket(access, bucket, { history: 1, replicas, prefix, markerTTL: MARKER_TTL_MS });
    const former = state.known;
    const loaded: typeof former = new Map();
    stopWatch();
    state.seen = 0;
    // The watch delivers earlier removals first, which are no news.
    let isLoaded = false;
    stopWatch = await watchBucket(access, bucket, keyRecordSchema, {
      put: (id, entry) => {
        state.seen = Math.max(state.seen, entry.revision);
        loaded.set(id, entry);
      },
      onRemoved: (id, revision) => {
        state.seen = Math.max(state.seen, revision);
        loaded.delete(id);
        if (isLoaded) onRemoved(id);
      },
    });
    isLoaded = true;
    state.known = loaded;
    state.isCurrent = true;
    for (const id of former.keys())
      if (!loaded.has(id) && !(await readEntry(access, bucket, id, keyRecordSchema))) onRemoved(id);
  };
  let loading = load();
  await loading;
  const reload = async () => {
    state.isCurrent = false;
    while (!state.isCurrent && !state.isStopped) {
      try {
        await load();
      } catch (error) {
        bus.log.error(toLoggedError(error), 'reading the API keys again failed');
        await delay(RETRY_MS);
      }
    }
  };
  const startReload = () => void (loading = loading.then(reload));
  const forget = bus.onReconnect(startReload);
  const check = createCheck(access, () => state.seen);
  const heartbeat = startHeartbeat(bus.log, checkMs, () => [
    {
      sendHeartbeat: () =>
        void check().then((problem) => {
          if (problem === undefined || !state.isCurrent || state.isStopped) return;
          bus.log.warn({ bucket, problem }, 'the API keys are read again');
          startReload();
        }),
    },
  ]);
  return {
    get: () => state.known,
    put: (id, entry) => {
      if (entry.revision > state.seen) state.known.set(id, entry);
    },
    isCurrent: () => state.isCurrent,
    stop: () => {
      state.isStopped = true;
      heartbeat.stop();
      forget();
      stopWatch();
    },
  };
}

/** Returns why the copy is behind the bucket. A single check may be earlier than the delivery of an entry. */
function createCheck({ bus, jsm }: JetStreamAccess, readSeen: () => number): () => Promise<string | undefined> {
  let created: string | undefined;
  let behind = 0;
  return async () => {
    if (!bus.hasConnection()) return undefined;
    try {
      const { created: at, state } = await jsm.streams.info(`KV_${bus.names.keys}`);
      const isOther = created !== undefined && created !== at;
      created = at;
      behind = state.last_seq > readSeen() ? behind + 1 : 0;
      if (isOther) return 'the bucket was created again';
      return behind > 1 ? 'the watch has not delivered the newest entries' : undefined;
    } catch (error) {
      return `the bucket cannot be read: ${String(error)}`;
    }
  };
}
