// Stores vectors in Qdrant: one collection per embedder and length. Payload filters separate its tenants.
import { checkTenant } from '@millrace/stores';
import { collectionName } from '../../store/point-id.ts';
import { pointId } from '../../store/point-id.ts';
import { checkBlock } from '../../store/recall-errors.ts';
import type { VectorBlock, VectorSpace, VectorStore } from '../../store/vector-store.ts';
import { readHttpStatus, type Qdrant } from './qdrant-client.ts';
import { createQdrantDeletions } from './qdrant-deletions.ts';
import { createQdrantCollections } from './qdrant-collections.ts';
import { matchValue, filterByOwner, range } from './qdrant-filter.ts';
import { readPayload, toRecalledMessage } from './qdrant-payload.ts';
import { knownPoints, saveQdrantRun } from './qdrant-save-run.ts';

export function createQdrantVectorStore(qdrant: Qdrant): VectorStore {
  const collections = createQdrantCollections(qdrant);

  async function write(space: VectorSpace, block: VectorBlock, signal: AbortSignal | undefined): Promise<void> {
    await collections.ensure(space, signal);
    await saveQdrantRun({ qdrant, space, block, signal });
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
      const ids = messages.map((message) => pointId(run, message));
      return (await noneIfAbsent(knownPoints(qdrant, space, run, ids, signal))) ?? new Set();
    },

    async findNearest(space, { owner, threadId, exceptRunId, vector, topK, threshold }, signal) {
      const filter = { must: filterByOwner(owner, threadId), must_not: [matchValue('run', exceptRunId)] };
      const query = {
        collection_name: collectionName(space),
        query: [...vector],
        filter,
        limit: topK,
        with_payload: true,
        ...(threshold !== undefined && { score_threshold: threshold }),
      };
      const answer = await noneIfAbsent(qdrant.call('search', signal, (api, init) => api.queryPoints(query, init)));
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
          const must = [...filterByOwner(owner, threadId), range('order', { [bound]: order })];
          const filter = { must, must_not: [matchValue('run', exceptRunId)] };
          return [{ query: { order_by: { key: 'order', direction } }, filter, limit, with_payload: true }];
        }),
      );
      if (searches.length === 0) return [];
      const collection_name = collectionName(space);
      const answer = await noneIfAbsent(
        qdrant.call('find the surrounding messages', signal, (api, init) =>
          api.queryBatchPoints({ collection_name, searches }, init),
        ),
      );
      const points = (answer?.data.result ?? []).flatMap((result) => result.points);
      return points.map(({ payload }) => toRecalledMessage(readPayload(payload)));
    },

    ...createQdrantDeletions(qdrant),

    close: () => Promise.resolve(),
  };
}

/** Without a saved message there is no collection and therefore no result. */
async function noneIfAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (readHttpStatus(error) === 404) return undefined;
    throw error;
  }
}
