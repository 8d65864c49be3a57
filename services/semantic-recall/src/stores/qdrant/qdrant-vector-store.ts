// Vectors in Qdrant: a collection for each embedder and length, in it all tenants, told apart by payload filters.
//
// Qdrant has no transactions. A block is fenced by a look at what its run has saved before, and by an update filter that never
// lets a lower epoch take a higher one's point; between the look and the write a fenced owner could still add points behind the
// end of a shorter block.
import { collectionName } from '../../store/collection-name.ts';
import { pointId } from '../../store/point-id.ts';
import { createQdrantCollections } from './qdrant-collections.ts';
import { statusOf, type Qdrant } from './qdrant-client.ts';
import { payloadsOf, readPayload, recalledOf } from './qdrant-payload.ts';
import { checkTenant } from '@millrace/stores';
import { checkBlock, saveSuperseded } from '../../store/recall-errors.ts';
import {
  savedAtOf,
  type RecallOwner,
  type RunBlock,
  type VectorSpace,
  type VectorStore,
} from '../../store/vector-store.ts';

type Condition = { key: string; match: { value: string } } | { key: string; range: Record<string, number> };

export function createQdrantVectorStore(qdrant: Qdrant): VectorStore {
  const collections = createQdrantCollections(qdrant);

  async function write(space: VectorSpace, block: RunBlock, signal: AbortSignal | undefined): Promise<void> {
    await collections.ensure(space, signal);
    const collection_name = collectionName(space);
    const { tenant, runId, epoch } = block;
    const found = await qdrant.call('read what the run has saved', signal, (api, init) =>
      api.getPoints({ collection_name, ids: [pointId(tenant, runId, 0)], with_payload: true }, init),
    );
    const [first] = (found.data.result ?? []).map(({ payload }) => readPayload(payload));
    if (first && first.epoch > epoch) throw saveSuperseded(block, first.epoch);

    const payloads = payloadsOf(block, first ? savedAtOf(first.order) : Date.now());
    const points = payloads.map((payload, position) => ({
      id: pointId(tenant, runId, position),
      vector: [...(block.messages[position]?.vector ?? [])],
      payload,
    }));
    const update_filter = { must: [range('epoch', { lte: epoch })] };
    await qdrant.call('save a run', signal, (api, init) =>
      api.upsertPoints({ collection_name, wait: true, points, update_filter }, init),
    );
    if (!first || first.epoch === epoch) return;
    const filter = { must: [is('tenant', tenant), is('run', runId), range('epoch', { lt: epoch })] };
    await qdrant.call('replace a run', signal, (api, init) =>
      api.deletePoints({ collection_name, wait: true, filter }, init),
    );
  }

  return {
    async saveRun(space, block, signal) {
      checkBlock(block);
      if (block.messages.length === 0) return;
      try {
        await write(space, block, signal);
      } catch (error) {
        if (statusOf(error) !== 404) throw error;
        // The collection was there when this process made it, and is not any more.
        collections.forget(space);
        await write(space, block, signal);
      }
    },

    async findNearest(space, { owner, threadId, exceptRunId, vector, topK, threshold }, signal) {
      const filter = { must: scope(owner, threadId), must_not: [is('run', exceptRunId)] };
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
      return points.map(({ score, payload }) => ({ ...recalledOf(readPayload(payload)), score }));
    },

    async findNeighbours(space, { owner, exceptRunId, around, before, after }, signal) {
      const sides = [
        { direction: 'desc', bound: 'lt', limit: before },
        { direction: 'asc', bound: 'gt', limit: after },
      ] as const;
      const searches = around.flatMap(({ threadId, order }) =>
        sides.flatMap(({ direction, bound, limit }) => {
          if (limit === 0) return [];
          const must = [...scope(owner, threadId), range('order', { [bound]: order })];
          const filter = { must, must_not: [is('run', exceptRunId)] };
          return [{ query: { order_by: { key: 'order', direction } }, filter, limit, with_payload: true }];
        }),
      );
      if (searches.length === 0) return [];
      const collection_name = collectionName(space);
      const answer = await noneIfAbsent(
        qdrant.call('find neighbours', signal, (api, init) =>
          api.queryBatchPoints({ collection_name, searches }, init),
        ),
      );
      const points = (answer?.data.result ?? []).flatMap((result) => result.points);
      return points.map(({ payload }) => recalledOf(readPayload(payload)));
    },

    close: () => Promise.resolve(),
  };
}

/** Where nobody has saved yet there is no collection, and nothing to find. */
async function noneIfAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

function scope({ tenant, key }: RecallOwner, threadId: string | undefined): Condition[] {
  const ofResource = [is('tenant', checkTenant(tenant)), is('resource', key)];
  return threadId === undefined ? ofResource : [...ofResource, is('thread', threadId)];
}

const is = (key: string, value: string): Condition => ({ key, match: { value } });
const range = (key: string, bounds: Record<string, number>): Condition => ({ key, range: bounds });
