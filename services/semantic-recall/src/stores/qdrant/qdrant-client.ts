// Calls Qdrant with a timeout and an abort signal, which the client's own methods do not offer; it calls the client's
// typed API.
import type { QdrantClient } from '@qdrant/js-client-rest';
import { z } from 'zod';
import { storeUnavailable } from '@millrace/stores';
import { STORE } from '../../store/vector-store.ts';

/** Below the default stage timeout of 5 s, so that the caller receives the error in time. */
const DEFAULT_TIMEOUT_MS = 3_000;

type QdrantApi = ReturnType<QdrantClient['api']>;
export type QdrantOptions = {
  url: string;
  apiKey?: string | undefined;
  /** Timeout of one call, ms. Default: 3,000. */
  timeoutMs?: number;
};

export type Qdrant = {
  /**
   * Sends one request, within the client's timeout or within `timeoutMs`. @param what for the error message: "The
   * vector store did not <what>" @throws store-unavailable
   */
  call<T>(
    what: string,
    signal: AbortSignal | undefined,
    ask: (api: QdrantApi, init: { signal: AbortSignal }) => Promise<T>,
    timeoutMs?: number,
  ): Promise<T>;
};

/** Opens no connection: the first call loads the client and connects, and idle connections close by themselves. */
export function createQdrant({ timeoutMs: ownTimeoutMs = DEFAULT_TIMEOUT_MS, ...server }: QdrantOptions): Qdrant {
  let loading: Promise<QdrantClient> | undefined;
  return {
    async call(what, signal, ask, timeoutMs = ownTimeoutMs) {
      signal?.throwIfAborted();
      const client = await (loading ??= loadClient(server));
      const bound = AbortSignal.timeout(timeoutMs);
      try {
        return await ask(client.api(), { signal: signal ? AbortSignal.any([signal, bound]) : bound });
      } catch (error) {
        signal?.throwIfAborted();
        throw storeUnavailable(STORE, what, error, describeFailure(error));
      }
    },
  };
}

/** A service without Qdrant starts without its client. */
async function loadClient({ url, apiKey }: Pick<QdrantOptions, 'url' | 'apiKey'>): Promise<QdrantClient> {
  const { QdrantClient: Client } = await import('@qdrant/js-client-rest');
  return new Client({
    url,
    // Set as a header: the client prints a warning for a key over HTTP, which is usual inside a cluster.
    ...(apiKey !== undefined && { headers: { 'api-key': apiKey } }),
    // Disabled, because it sends a request in the background and prints warnings.
    checkCompatibility: false,
    // No timeout of its own, because it would replace our signal.
    timeout: Infinity,
  });
}

const answeredSchema = z.looseObject({
  status: z.number(),
  data: z
    .looseObject({ status: z.looseObject({ error: z.string() }) })
    .optional()
    .catch(undefined),
});

/** Returns the HTTP status of a failed `Qdrant.call`, or undefined without a response. */
export function readHttpStatus(error: unknown): number | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return answeredSchema.safeParse(cause).data?.status;
}

function describeFailure(error: unknown): string {
  const answered = answeredSchema.safeParse(error).data;
  if (answered) return `HTTP ${answered.status}${answered.data ? `, ${answered.data.status.error}` : ''}`;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
