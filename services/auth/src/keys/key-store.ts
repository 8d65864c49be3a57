// Stores API keys in a bucket that this service alone opens. Each replica holds all keys in memory, and follows the
// bucket: a revocation at one replica reaches the others within milliseconds.
import { MillraceError, keyRecordSchema, type KeyRecord } from '@millrace/contracts';
import {
  createConflictError,
  deleteEntry,
  readEntry,
  writeEntry,
  type BucketEntry,
  type JetStreamAccess,
} from '@millrace/bus';
import { openKeyCopy, type KeyCopyOptions } from './key-copy.ts';

export type KeyStore = {
  /**
   * Returns the key of that id. Reads it from the bucket if the watch has not delivered it yet.
   * @throws too-many-requests if many ids are read at the same time; store-unavailable, bus-unreachable
   */
  find(id: string): Promise<KeyRecord | undefined>;
  /** Sorted by id. */
  list(tenant: string): KeyRecord[];
  /** @returns false if a key of that id exists, or existed. @throws keys-full */
  add(record: KeyRecord): Promise<boolean>;
  /** @returns false if the tenant has no key of that id. @throws state-conflict */
  remove(tenant: string, id: string): Promise<boolean>;
  /** Returns why the keys in memory may be outdated. */
  findProblem(): string | undefined;
  stop(): void;
};

export type KeyStoreOptions = KeyCopyOptions & {
  /** Maximum number of keys of a tenant. Default: 10,000. */
  maxKeys?: number;
};

const MAX_KEYS_PER_TENANT = 10_000;
/** Concurrent reads of ids that are not in memory: a caller that guesses ids loads the bucket with no more than that. */
const MAX_READS = 64;
/** The list shows an expired key for this time; then the server removes its entry. */
const SHOWN_AFTER_EXPIRY_S = 7 * 24 * 3_600;

/** @throws bus-unreachable, stream-mismatch */
export async function openKeyStore(access: JetStreamAccess, options: KeyStoreOptions): Promise<KeyStore> {
  const { bus } = access;
  const { maxKeys = MAX_KEYS_PER_TENANT } = options;
  const bucket = bus.names.keys;
  const read = (id: string) => readEntry(access, bucket, id, keyRecordSchema);
  const copy = await openKeyCopy(access, options);
  let reads = 0;
  const find = async (id: string): Promise<BucketEntry<KeyRecord> | undefined> => {
    const entry = copy.isCurrent() ? copy.get(id) : undefined;
    if (entry) return entry;
    if (reads >= MAX_READS) throw createBusyError();
    reads += 1;
    return read(id).finally(() => (reads -= 1));
  };
  const list = (tenant: string) =>
    copy
      .list()
      .map(([, { value }]) => value)
      .filter((record) => record.tenant === tenant)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return {
    find: async (id) => (await find(id))?.value,
    list,
    async add(record) {
      if (list(record.tenant).length >= maxKeys) throw createFullError(maxKeys);
      const ttlSeconds = computeTtlSeconds(record);
      const written = await writeEntry(access, bucket, record.id, record, {
        expectedRevision: 0,
        ...(ttlSeconds !== undefined && { ttlSeconds }),
      });
      if ('conflict' in written) return false;
      copy.put(record.id, { value: record, revision: written.revision });
      return true;
    },
    async remove(tenant, id) {
      const there = await read(id);
      if (there?.value.tenant !== tenant) return false;
      const deleted = await deleteEntry(access, bucket, id, there.revision);
      if ('conflict' in deleted) throw createConflictError(id);
      copy.remove(id, deleted.revision);
      options.onRemoved(id);
      return true;
    },
    findProblem: () => (copy.isCurrent() ? undefined : 'the API keys are not read yet'),
    stop: copy.stop,
  };
}

const createBusyError = (): MillraceError =>
  new MillraceError('too-many-requests', `auth reads ${MAX_READS} unknown keys at the same time.`, {
    remedy: 'Try again, or start another replica of auth.',
  });

function computeTtlSeconds({ createdAt, expiresAt }: KeyRecord): number | undefined {
  if (expiresAt === undefined) return undefined;
  return Math.ceil((Date.parse(expiresAt) - Date.parse(createdAt)) / 1_000) + SHOWN_AFTER_EXPIRY_S;
}

function createFullError(maxKeys: number): MillraceError {
  return new MillraceError('keys-full', `The tenant has ${maxKeys} API keys.`, {
    remedy: 'Revoke unused keys: millrace api-keys revoke ID.',
  });
}
