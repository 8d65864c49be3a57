// Makes a collection on first use. Many replicas may do so at once: whoever comes second finds it there, and makes what is
// still missing of it.
import { PAYLOAD_INDEXES } from './qdrant-payload.ts';
import { statusOf, type Qdrant } from './qdrant-client.ts';
import { collectionName } from '../../store/collection-name.ts';
import type { VectorSpace } from '../../store/vector-store.ts';

/** How long one step of the making may take: it happens once, and on a busy cluster it takes longer than a search. */
const makeTimeoutMs = 30_000;

export type QdrantCollections = {
  /**
   * Resolves when the collection is there with its indexes; asks once in a process. Who gives up waits no longer, and the
   * collection is made all the same.
   */
  ensure(space: VectorSpace, signal?: AbortSignal): Promise<void>;
  /** Somebody has deleted it. */
  forget(space: VectorSpace): void;
};

export function createQdrantCollections(qdrant: Qdrant): QdrantCollections {
  const made = new Map<string, Promise<void>>();
  return {
    ensure(space, signal) {
      const name = collectionName(space);
      const known = made.get(name);
      if (known) return unlessAborted(known, signal);
      const making = make(qdrant, name, space.dimensions).catch((error: unknown) => {
        made.delete(name);
        throw error;
      });
      made.set(name, making);
      // Whoever waits hears of a failure. Where all have given up nobody does, and it must not end the process.
      making.catch(() => undefined);
      return unlessAborted(making, signal);
    },
    forget: (space) => void made.delete(collectionName(space)),
  };
}

async function unlessAborted(making: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return making;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    await Promise.race([making, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Without the caller's signal: others wait for the same. */
async function make(qdrant: Qdrant, collection_name: string, size: number): Promise<void> {
  const call: Qdrant['call'] = (what, signal, ask) => qdrant.call(what, signal, ask, makeTimeoutMs);
  const vectors = { size, distance: 'Cosine' } as const;
  try {
    await call('make its collection', undefined, (api, init) =>
      api.createCollection({ collection_name, vectors }, init),
    );
  } catch (error) {
    // Conflict: it is there already.
    if (statusOf(error) !== 409) throw error;
  }
  await Promise.all(
    Object.entries(PAYLOAD_INDEXES).map(([field_name, field_schema]) =>
      call('make its indexes', undefined, (api, init) =>
        api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init),
      ),
    ),
  );
}
