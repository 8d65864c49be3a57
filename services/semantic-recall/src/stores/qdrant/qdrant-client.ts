// Calls of Qdrant: each has a bound and can be given up, which the client's own methods do not offer, so its typed API is called.
import { QdrantClient } from '@qdrant/js-client-rest';
import { z } from 'zod';
import { storeUnavailable } from '@millrace/stores';
import { STORE } from '../../store/vector-store.ts';

/** Below a stage's default of 5 s, so that the caller hears of it in time. */
const DEFAULT_TIMEOUT_MS = 3_000;

type QdrantApi = ReturnType<QdrantClient['api']>;
export type QdrantOptions = {
  url: string;
  apiKey?: string | undefined;
  /** How long one call may take before it fails; 3,000 if absent. */
  timeoutMs?: number;
};

export type Qdrant = {
  /** One request, within the client's bound, or within `timeoutMs`. @param what for the message of an error: "The vector store did not <what>" @throws store-unavailable */
  call<T>(
    what: string,
    signal: AbortSignal | undefined,
    ask: (api: QdrantApi, init: { signal: AbortSignal }) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T>;
};

/** Opens nothing: connections are made by the first call, and close by themselves when they idle. */
export function createQdrant({ url, apiKey, timeoutMs: ownTimeoutMs = DEFAULT_TIMEOUT_MS }: QdrantOptions): Qdrant {
  const client = new QdrantClient({
    url,
    // Given as a header: the client warns on the console of a key over HTTP, which is how it is inside a cluster.
    ...(apiKey !== undefined && { headers: { 'api-key': apiKey } }),
    // Asks in the background and warns on the console.
    checkCompatibility: false,
    // No limit of its own: it would take the place of our signal.
    timeout: Infinity,
  });
  return {
    async call(what, signal, ask, timeoutMs = ownTimeoutMs) {
      signal?.throwIfAborted();
      const bound = AbortSignal.timeout(timeoutMs);
      try {
        return await ask(client.api(), { signal: signal ? AbortSignal.any([signal, bound]) : bound });
      } catch (error) {
        signal?.throwIfAborted();
        throw storeUnavailable(STORE, what, error, reasonOf(error));
      }
    },
  };
}

const answeredSchema = z.looseObject({
  status: z.number(),
  data: z
    .looseObject({ status: z.looseObject({ error: z.string() }) })
    .optional()
    .catch(undefined),
});

/** The HTTP status that a call of `Qdrant.call` was answered with; undefined where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return answeredSchema.safeParse(cause).data?.status;
}

function reasonOf(error: unknown): string {
  const answered = answeredSchema.safeParse(error).data;
  if (answered) return `HTTP ${answered.status}${answered.data ? `, ${answered.data.status.error}` : ''}`;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
