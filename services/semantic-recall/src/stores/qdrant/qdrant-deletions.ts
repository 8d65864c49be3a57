// Deletes points from Qdrant, in every collection of this service: an earlier embedder has a collection of its own.
import { isForgotten, listStoredIds } from '../../store/match-forgotten.ts';
import { COLLECTION_PREFIX } from '../../store/point-id.ts';
import type { ForgottenText, VectorStore } from '../../store/vector-store.ts';
import { readHttpStatus, type Qdrant } from './qdrant-client.ts';
import { filterByOwner, type Condition } from './qdrant-filter.ts';
import type { QdrantFences } from './qdrant-fences.ts';
import { readPayload } from './qdrant-payload.ts';

/** Points of one page of a search by ids. */
const PAGE = 256;
type MaybeSignal = AbortSignal | undefined;
type QdrantDeletions = Pick<VectorStore, 'deleteThread' | 'deleteMessages' | 'eraseOwner'>;

export function createQdrantDeletions(qdrant: Qdrant, fences: QdrantFences): QdrantDeletions {
  return {
    async deleteThread(place, signal) {
      const must = filterByOwner(place, place.threadId);
      return sumOverCollections(qdrant, signal, (collection) => deletePoints(qdrant, collection, must, signal));
    },
    async eraseOwner(owner, runIds, signal) {
      const must = filterByOwner(owner);
      // Before the deletion: a save whose write the deletion misses finds the mark.
      await fences.mark(owner, runIds, signal);
      const deleted = await sumOverCollections(qdrant, signal, (name) => deletePoints(qdrant, name, must, signal));
      const left = await sumOverCollections(qdrant, signal, (name) => countPoints(qdrant, name, must, signal));
      return { deleted, left };
    },
    async deleteMessages(place, messages, signal) {
      const must = filterByOwner(place, place.threadId);
      return sumOverCollections(qdrant, signal, async (collection) => {
        const ids = await findMessages({ qdrant, collection_name: collection, must, signal }, messages);
        return ids.length === 0 ? 0 : deletePoints(qdrant, collection, [{ has_id: ids }], signal);
      });
    },
  };
}

/** A collection that is deleted after the list has no points. */
async function sumOverCollections(
  qdrant: Qdrant,
  signal: MaybeSignal,
  work: (collection: string) => Promise<number>,
): Promise<number> {
  const answer = await qdrant.call('list its collections', signal, (api, init) => api.getCollections({}, init));
  const names = (answer.data.result?.collections ?? []).map(({ name }) => name);
  let count = 0;
  for (const name of names.filter((one) => one.startsWith(COLLECTION_PREFIX))) {
    count += await work(name).catch((error: unknown) => {
      if (readHttpStatus(error) === 404) return 0;
      throw error;
    });
  }
  return count;
}

/** Returns the number of points before the deletion: Qdrant reports none. */
async function deletePoints(
  qdrant: Qdrant,
  collection_name: string,
  must: Condition[],
  signal: MaybeSignal,
): Promise<number> {
  const filter = { must };
  const count = await countPoints(qdrant, collection_name, must, signal);
  await qdrant.call('delete messages', signal, (api, init) =>
    api.deletePoints({ collection_name, wait: true, filter }, init),
  );
  return count;
}

async function countPoints(
  qdrant: Qdrant,
  collection_name: string,
  must: Condition[],
  signal: MaybeSignal,
): Promise<number> {
  const counted = await qdrant.call('count messages', signal, (api, init) =>
    api.countPoints({ collection_name, filter: { must }, exact: true }, init),
  );
  return counted.data.result?.count ?? 0;
}

type DeletionSearch = { qdrant: Qdrant; collection_name: string; must: Condition[]; signal: MaybeSignal };

/** Returns the ids of the points with these messages. */
async function findMessages(
  { qdrant, collection_name, must, signal }: DeletionSearch,
  messages: readonly ForgottenText[],
): Promise<string[]> {
  const filter = { must: [...must, { key: 'message', match: { any: listStoredIds(messages) } }] };
  const found: string[] = [];
  for (let offset: string | number | Record<string, unknown> | null | undefined; ;) {
    const request = { collection_name, filter, limit: PAGE, with_payload: true, ...(offset != null && { offset }) };
    const answer = await qdrant.call('look for messages', signal, (api, init) => api.scrollPoints(request, init));
    const points = answer.data.result?.points ?? [];
    for (const { id, payload } of points) {
      const { message, text } = readPayload(payload);
      if (isForgotten(messages, { messageId: message, text })) found.push(String(id));
    }
    offset = answer.data.result?.next_page_offset;
    if (offset === undefined || offset === null || points.length === 0) return found;
  }
}
