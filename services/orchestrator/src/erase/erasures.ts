// Erasures of resources, shared by all orchestrators: each is a small watched entry, which fences the earlier runs of the
// resource and holds the progress. Compare-and-set on the entry admits one orchestrator at a time.
import { COMMON_VERSION, buildErasureKey, erasureSchema, type Erasure } from '@millrace/contracts';
import {
  createConflictError,
  locateEntry,
  openBucketCopy,
  writeEntry,
  type BucketEntry,
  type JetStreamAccess,
} from '@millrace/bus';
import { hashResource } from '../state/hash-resource.ts';
import type { ErasedRuns } from '../state/run-context.ts';

/** From the last write on: longer than any run, dead letter or event of the resource is stored. */
const ERASURE_TTL_SECONDS = 8 * 24 * 3_600;
/** Number of times that another writer may change an entry between reading and writing it here. */
const ATTEMPTS = 5;

export type StoredErasure = BucketEntry<Erasure>;
type BeginRequest = { tenant: string; resourceId: string; eraseId: string };

export type Erasures = ErasedRuns & {
  /** Stores a new erasure, or returns the one that is not done or has the same id. @throws bus-unreachable, store-unavailable */
  begin(request: BeginRequest): Promise<Erasure>;
  /** @throws bus-unreachable, store-unavailable */
  read(request: Pick<BeginRequest, 'tenant' | 'resourceId'>): Promise<Erasure | undefined>;
  listDue(now: number): StoredErasure[];
  /** Returns undefined if another orchestrator has written the entry since. */
  change(stored: StoredErasure, change: Partial<Erasure>): Promise<StoredErasure | undefined>;
  /** Reads the bucket again, after it was recreated. */
  reload(): Promise<void>;
  stop(): void;
};

const buildResourceKey = (tenant: string, resourceId: string) =>
  buildErasureKey(tenant, hashResource(tenant, resourceId));

export async function openErasures(access: JetStreamAccess): Promise<Erasures> {
  const bucket = access.bus.names.erasures;
  const copy = await openBucketCopy(access, bucket, erasureSchema);
  const write = async (next: Erasure, expectedRevision: number): Promise<StoredErasure | undefined> => {
    const key = buildResourceKey(next.tenant, next.resourceId);
    const options = { expectedRevision, ttlSeconds: ERASURE_TTL_SECONDS };
    const written = await writeEntry(access, bucket, key, next, options);
    if ('conflict' in written) return undefined;
    const entry = { value: next, revision: written.revision };
    copy.put(key, entry);
    return entry;
  };
  const locate = (tenant: string, resourceId: string) =>
    locateEntry(access, bucket, buildResourceKey(tenant, resourceId), erasureSchema);
  return {
    isErased({ tenant, resourceId, subject, submittedAt }) {
      return [resourceId, subject].some((resource) => {
        const erasure = resource === undefined ? undefined : copy.get(buildResourceKey(tenant, resource));
        return erasure !== undefined && submittedAt <= erasure.value.at;
      });
    },
    async begin({ tenant, resourceId, eraseId }) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        const there = await locate(tenant, resourceId);
        if ('error' in there) throw there.error;
        const current = 'value' in there ? there.value : undefined;
        if (current && (current.status !== 'done' || current.eraseId === eraseId)) return current;
        const now = access.clock.now();
        const fresh = { v: COMMON_VERSION, tenant, resourceId, eraseId, at: now, tries: 0, nextAt: now, stores: [] };
        const written = await write({ ...fresh, status: 'active' }, there.revision);
        if (written) return written.value;
      }
      throw createConflictError(`the erasure ${hashResource(tenant, resourceId)}`);
    },
    async read({ tenant, resourceId }) {
      const there = await locate(tenant, resourceId);
      if ('error' in there) throw there.error;
      return 'value' in there ? there.value : undefined;
    },
    listDue: (now) =>
      copy.list().flatMap(([, entry]) => (entry.value.status !== 'done' && entry.value.nextAt <= now ? [entry] : [])),
    change: ({ value, revision }, change) => write({ ...value, ...change }, revision),
    reload: copy.reload,
    stop: copy.stop,
  };
}
