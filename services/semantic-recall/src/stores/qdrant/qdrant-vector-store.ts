// Stores vectors in Qdrant: one collection per embedder and length. Payload filters separate its tenants.
import { ERASED_EPOCH } from '@millrace/contracts';
import { checkTenant, saveSuperseded } from '@millrace/stores';
import { buildCollectionName } from '../../store/point-id.ts';
import { computePointId } from '../../store/point-id.ts';
import { type VectorBlock, type VectorSpace, type VectorStore, checkBlock } from '../../store/vector-store.ts';
import { readHttpStatus, type Qdrant } from './qdrant-client.ts';
import { createQdrantDeletions } from './qdrant-deletions.ts';
import { createQdrantCollections } from './qdrant-collections.ts';
import { createQdrantFences } from './qdrant-fences.ts';
import { matchValue, filterByOwner, buildRange } from './qdrant-filter.ts';
import { readPayload, toRecalledMessage } from './qdrant-payload.ts';
import { deleteErasedRun, readKnownPoints, saveQdrantRun } from './qdrant-save-run.ts';

export function createQdrantVectorStore(qdrant: Qdrant): VectorStore {
  const collections = createQdrantCollections(qdrant);

  const fences = createQdrantFences(qdrant);

  async function write(space: VectorSpace, block: VectorBlock, signal: AbortSignal | undefined): Promise<void> {
    await collections.ensure(space, signal);
    if (await fences.isMarked(block, block.runId, signal)) throw saveSuperseded(block, ERASED_EPOCH);
    try {
      await saveQdrantRun({ qdrant, space, block, signal });
    } catch (error) {
      // The write may have reached the server. The caller receives its error, and a repeated save looks for the mark again.
      await deleteIfErased(space, block).catch(() => undefined);
      throw error;
    }
    if (await deleteIfErased(space, block)) throw saveSuperseded(block, ERASED_EPOCH);
  }

  /** Returns whether the run was erased while it was saved. Takes no signal: the caller may have stopped waiting. */
  async function deleteIfErased(space: VectorSpace, block: VectorBlock): Promise<boolean> {
    if (!(await fences.isMarked(block, block.runId, undefined))) return false;
    await deleteErasedRun(qdrant, space, block);
    return true;
  }

  return {
    async saveRun(space, block, signal) {
      checkBlock(block);
      if (block.messages.length === 0) return;
      try {
        await write(space, block, signal);
      } catch (error) {
        if (readHttpStatus(error) !== 404) throw error;
        // The collection existed when this process created it, and was deleted since.
        collections.forget(space);
        await write(space, block, signal);
      }
    },

    async findKnown(space, run, messages, signal) {
      checkTenant(run.tenant);
      const ids = messages.map((message) => computePointId(run, message));
      return (await ignoreAbsent(readKnownPoints(qdrant, space, run, ids, signal))) ?? new Set();
    },

    async findNearest(space, { owner, threadId, exceptRunId, vector, topK, threshold }, signal) {
      const filter = { must: filterByOwner(owner, threadId), must_not: [matchValue('run', exceptRunId)] };
      const query = {
        collection_name: buildCollectionName(space),
        query: [...vector],
        filter,
        limit: topK,
        with_payload: true,
        ...(threshold !== undefined && { score_threshold: threshold }),
      };
      const answer = await ignoreAbsent(qdrant.call('search', signal, (api, init) => api.queryPoints(query, init)));
      const points = answer?.data.result?.points ?? [];
      return points.map(({ score, payload }) => ({ ...toRecalledMessage(readPayload(payload)), score }));
    },

    async findSurrounding(space, { owner, exceptRunId, around, before, after }, signal) {
      const sides = [
        { direction: 'desc', bound: 'lt', limit: before },
        { direction: 'asc', bound: 'gt', limit: after },
      ] as const;
      const searches = around.flatMap(({ threadId, order }) =>
        sides.flatMap(({ direction, bound, limit }) => {
          if (limit === 0) return [];
          const must = [...filterByOwner(owner, threadId), buildRange('order', { [bound]: order })];
          const filter = { must, must_not: [matchValue('run', exceptRunId)] };
          return [{ query: { order_by: { key: 'order', direction } }, filter, limit, with_payload: true }];
        }),
      );
      if (searches.length === 0) return [];
      const collection_name = buildCollectionName(space);
      const answer = await ignoreAbsent(
        qdrant.call('find the surrounding messages', signal, (api, init) =>
          api.queryBatchPoints({ collection_name, searches }, init),
        ),
      );
      const points = (answer?.data.result ?? []).flatMap((result) => result.points);
      return points.map(({ payload }) => toRecalledMessage(readPayload(payload)));
    },

    ...createQdrantDeletions(qdrant, fences),

    close: () => Promise.resolve(),
  };
}

/** Without a saved message there is no collection and therefore no result. */
async function ignoreAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (readHttpStatus(error) === 404) return undefined;
    throw error;
  }
}
