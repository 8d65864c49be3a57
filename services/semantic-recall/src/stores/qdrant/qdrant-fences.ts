// Marks erased runs in Qdrant, in a collection of its own. Qdrant has no transactions: an erasure writes the marks before
// it deletes, and a save looks for the mark of its run after its write. If the write follows the deletion, the mark
// precedes it, and the save deletes its own points.
import { RUN_MARK_TTL_MS, checkTenant } from '@millrace/stores';
import { z } from 'zod';
import { fenceId } from '../../store/point-id.ts';
import type { RecallOwner } from '../../store/vector-store.ts';
import { readHttpStatus, type Qdrant } from './qdrant-client.ts';

/** Other collections of this service begin with `millrace-`, and hold messages. */
const COLLECTION = 'millrace_erased_runs';
/** Creating a collection takes longer than a search on a busy cluster. */
const CREATE_TIMEOUT_MS = 30_000;
/** Points of one request. */
const BATCH = 500;
const markSchema = z.object({ until: z.number().describe('ms since 1970') });

export type QdrantFences = {
  /** Marks the runs of an owner as erased, for RUN_MARK_TTL_MS. */
  mark(owner: RecallOwner, runIds: readonly string[], signal: AbortSignal | undefined): Promise<void>;
  isMarked(owner: RecallOwner, runId: string, signal: AbortSignal | undefined): Promise<boolean>;
};

export function createQdrantFences(qdrant: Qdrant): QdrantFences {
  return {
    async mark(owner, runIds, signal) {
      if (runIds.length === 0) return;
      const ids = runIds.map((runId) => fenceId({ ...owner, tenant: checkTenant(owner.tenant) }, runId));
      await ensureCollection(qdrant);
      await dropExpired(qdrant, signal);
      const payload = { until: Date.now() + RUN_MARK_TTL_MS };
      for (let at = 0; at < ids.length; at += BATCH) {
        // Qdrant stores no point without a vector of the collection.
        const points = ids.slice(at, at + BATCH).map((id) => ({ id, vector: [1], payload }));
        await qdrant.call('mark erased runs', signal, (api, init) =>
          api.upsertPoints({ collection_name: COLLECTION, wait: true, points }, init),
        );
      }
    },
    async isMarked(owner, runId, signal) {
      const request = { collection_name: COLLECTION, ids: [fenceId(owner, runId)], with_payload: true };
      try {
        const found = await qdrant.call('look for the mark of an erased run', signal, (api, init) =>
          api.getPoints(request, init),
        );
        const [mark] = found.data.result ?? [];
        return mark !== undefined && markSchema.parse(mark.payload).until > Date.now();
      } catch (error) {
        // The first erasure creates the collection.
        if (readHttpStatus(error) === 404) return false;
        throw error;
      }
    },
  };
}

/** Erasures are rare, so each of them creates the collection if it is missing. */
async function ensureCollection(qdrant: Qdrant): Promise<void> {
  const vectors = { size: 1, distance: 'Dot' } as const;
  try {
    await qdrant.call(
      'create the collection of erased runs',
      undefined,
      (api, init) => api.createCollection({ collection_name: COLLECTION, vectors }, init),
      CREATE_TIMEOUT_MS,
    );
  } catch (error) {
    // Conflict: the collection exists.
    if (readHttpStatus(error) !== 409) throw error;
  }
  await qdrant.call('create its index', undefined, (api, init) =>
    api.createFieldIndex(
      { collection_name: COLLECTION, wait: true, field_name: 'until', field_schema: 'integer' },
      init,
    ),
  );
}

async function dropExpired(qdrant: Qdrant, signal: AbortSignal | undefined): Promise<void> {
  const filter = { must: [{ key: 'until', range: { lt: Date.now() } }] };
  await qdrant.call('delete expired marks', signal, (api, init) =>
    api.deletePoints({ collection_name: COLLECTION, wait: true, filter }, init),
  );
}
