// Holds a copy of the bucket of keys in memory: follows the bucket, checks that it has followed, and reads all of it
// again after a reconnect and after a loss. A copy that is behind would accept a revoked key.
import { setTimeout as delay } from 'node:timers/promises';
import { keyRecordSchema, toLoggedError, type KeyRecord } from '@millrace/contracts';
import {
  ensureBucket,
  openBucketCopy,
  readEntry,
  startHeartbeat,
  type BucketCopy,
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

export type KeyCopy = Omit<BucketCopy<KeyRecord>, 'readSeen' | 'reload'> & {
  /** Returns false while the bucket is read again: removals may be missing. */
  isCurrent(): boolean;
};

const MARKER_TTL_MS = 3_600_000;
const RETRY_MS = 1_000;
const CHECK_MS = 5_000;

/** @throws bus-unreachable, stream-mismatch */
export async function openKeyCopy(access: JetStreamAccess, options: KeyCopyOptions): Promise<KeyCopy> {
  const { bus } = access;
  const { onRemoved, replicas, checkMs = CHECK_MS } = options;
  const bucket = bus.names.keys;
  const state = { isCurrent: false, isStopped: false };
  const ensure = () =>
    ensureBucket(access, bucket, { history: 1, replicas, prefix: bus.subjects.prefix, markerTTL: MARKER_TTL_MS });
  await ensure();
  const copy = await openBucketCopy(access, bucket, keyRecordSchema, { onRemoved });
  state.isCurrent = true;
  const load = async () => {
    await ensure();
    const former = copy.list();
    await copy.reload();
    state.isCurrent = true;
    for (const [id] of former)
      if (!copy.get(id) && !(await readEntry(access, bucket, id, keyRecordSchema))) onRemoved(id);
  };
  let loading = Promise.resolve();
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
  const check = createCheck(access, copy);
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
    ...copy,
    isCurrent: () => state.isCurrent,
    stop: () => {
      state.isStopped = true;
      heartbeat.stop();
      forget();
      copy.stop();
    },
  };
}

/** Returns why the copy differs from the bucket. A single check may be earlier than the delivery of an entry. */
export function createCheck(
  { bus, jsm }: JetStreamAccess,
  copy: Pick<BucketCopy<KeyRecord>, 'list' | 'readSeen'>,
): () => Promise<string | undefined> {
  const { keys } = bus.names;
  const stream = `KV_${keys}`;
  let created: string | undefined;
  let behind = 0;
  /** The server may have removed the newest entries: an expired key leaves no message. */
  const hasNewer = async (seen: number): Promise<boolean> => {
    const newest = await jsm.streams.getMessage(stream, { last_by_subj: `$KV.${keys}.>` });
    return newest !== null && newest.seq > seen;
  };
  return async () => {
    if (!bus.hasConnection()) return undefined;
    try {
      const { created: at, state } = await jsm.streams.info(stream);
      const isOther = created !== undefined && created !== at;
      created = at;
      const seen = copy.readSeen();
      // A purge of the stream announces no removals.
      const differs =
        copy.list().length > state.messages || (state.messages > 0 && state.last_seq > seen && (await hasNewer(seen)));
      behind = differs ? behind + 1 : 0;
      if (isOther) return 'the bucket was created again';
      return behind > 1 ? 'the watch has not delivered the newest changes' : undefined;
    } catch (error) {
      return `the bucket cannot be read: ${String(error)}`;
    }
  };
}
