// Makes a collection on first use. Many replicas may do so at once: whoever comes second finds it there, and makes what is
// still missing of it.
import { PAYLOAD_INDEXES } from './qdrant-payload.ts';
import { statusOf, type Qdrant } from './qdrant-client.ts';
import { collectionName } from './collection-name.ts';
import type { VectorSpace } from './vector-store.ts';

export type QdrantCollections = {
  /** Resolves when the collection is there with its indexes; asks once in a process. */
  ensure(space: VectorSpace): Promise<void>;
  /** Somebody has deleted it. */
  forget(space: VectorSpace): void;
};

export function createQdrantCollections(qdrant: Qdrant): QdrantCollections {
  const made = new Map<string, Promise<void>>();
  return {
    ensure(space) {
      const name = collectionName(space);
      const known = made.get(name);
      if (known) return known;
      const making = make(qdrant, name, space.dimensions).catch((error: unknown) => {
        made.delete(name);
        throw error;
      });
      made.set(name, making);
      return making;
    },
    forget: (space) => void made.delete(collectionName(space)),
  };
}

/** Without the caller's signal: others wait for the same. */
async function make(qdrant: Qdrant, collection_name: string, size: number): Promise<void> {
  await qdrant
    .call('make its collection', undefined, (api, init) =>
      api.createCollection({ collection_name, vectors: { size, distance: 'Cosine' } }, init),
    )
    .catch((error: unknown) => {
      // Conflict: it is there already.
      if (statusOf(error) !== 409) throw error;
    });
  await Promise.all(
    Object.entries(PAYLOAD_INDEXES).map(([field_name, field_schema]) =>
      qdrant.call('make its indexes', undefined, (api, init) =>
        api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init),
      ),
    ),
  );
}
