// Creates a collection on first use. Concurrent replicas can create it: the later one finds the collection and adds
// missing indexes.
import { PAYLOAD_INDEXES } from './qdrant-payload.ts';
import { readHttpStatus, type Qdrant } from './qdrant-client.ts';
import { buildCollectionName } from '../../store/point-id.ts';
import type { VectorSpace } from '../../store/vector-store.ts';

/** Timeout of one creation step. A creation happens once and takes longer than a search on a busy cluster. */
const makeTimeoutMs = 30_000;

export type QdrantCollections = {
  /**
   * Resolves when the collection and its indexes exist; requests them once per process. A caller that aborts stops
   * waiting, and the creation continues.
   */
  ensure(space: VectorSpace, signal?: AbortSignal): Promise<void>;
  /** Forgets a collection that was deleted. */
  forget(space: VectorSpace): void;
};

export function createQdrantCollections(qdrant: Qdrant): QdrantCollections {
  const made = new Map<string, Promise<void>>();
  return {
    ensure(space, signal) {
      const name = buildCollectionName(space);
      const known = made.get(name);
      if (known) return waitUnlessAborted(known, signal);
      const making = make(qdrant, name, space.dimensions).catch((error: unknown) => {
        made.delete(name);
        throw error;
      });
      made.set(name, making);
      // Each waiting caller receives a failure. If all callers stopped waiting, the rejection must not end the process.
      making.catch(() => undefined);
      return waitUnlessAborted(making, signal);
    },
    forget: (space) => void made.delete(buildCollectionName(space)),
  };
}

async function waitUnlessAborted(making: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
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

/** Ignores the caller's signal, because other callers wait for the same creation. */
async function make(qdrant: Qdrant, collection_name: string, size: number): Promise<void> {
  const call: Qdrant['call'] = (what, signal, ask) => qdrant.call(what, signal, ask, makeTimeoutMs);
  const vectors = { size, distance: 'Cosine' } as const;
  try {
    await call('create its collection', undefined, (api, init) =>
      api.createCollection({ collection_name, vectors }, init),
    );
  } catch (error) {
    // Conflict: the collection exists.
    if (readHttpStatus(error) !== 409) throw error;
  }
  await Promise.all(
    Object.entries(PAYLOAD_INDEXES).map(([field_name, field_schema]) =>
      call('create its indexes', undefined, (api, init) =>
        api.createFieldIndex({ collection_name, wait: true, field_name, field_schema }, init),
      ),
    ),
  );
}
