// Implements the public verb threads-search: the messages of one owner that are nearest to a query in meaning.
import { MillraceError, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { buildResourceOwner, buildThreadOwner, requireOwnResource, type MemoryCaller } from '@millrace/stores';
import { chooseTextToEmbed } from '../processor/messages-to-index.ts';
import type { RecallDependencies } from '../processor/semantic-recall.ts';
import type { NearestQuery } from '../store/vector-store.ts';

type SearchRequest = ApiRequest<'threads-search'>;

/** Shorter than the wait of the caller. ms */
const SEARCH_WITHIN_MS = 8_000;
/** No run has this id: ids of runs are tokens. */
const NO_RUN = ' search';

/** @throws message-invalid if the request names no owner, or another one than its caller; store-unavailable, model-call-failed */
export const searchThreads =
  ({ store, embedder }: RecallDependencies) =>
  async (request: SearchRequest, call: MemoryCaller): Promise<ApiAnswer<'threads-search'>> => {
    const scope = readScope(request);
    await requireOwnResource(call, request.resourceId);
    const signal = AbortSignal.timeout(SEARCH_WITHIN_MS);
    const [vector = []] = await embedder.embed([chooseTextToEmbed(request.query)], { abortSignal: signal });
    if (vector.every((value) => value === 0)) return { hits: [] };
    const { limit: topK, threshold } = request;
    const owner = { tenant: call.tenant, key: scope.key };
    const query: NearestQuery = { owner, threadId: scope.threadId, exceptRunId: NO_RUN, vector, topK, threshold };
    const found = await store.findNearest({ embedder: embedder.id, dimensions: vector.length }, query, signal);
    return {
      hits: found.map(({ threadId, messageId, role, text, createdAt, score }) => {
        return { threadId, messageId, role, text, createdAt, score };
      }),
    };
  };

function readScope({ resourceId, threadId }: SearchRequest): { key: string; threadId: string | undefined } {
  if (resourceId !== undefined) return { key: buildResourceOwner(resourceId), threadId };
  if (threadId !== undefined) return { key: buildThreadOwner(threadId), threadId };
  throw new MillraceError('message-invalid', 'The request names no owner of messages.', {
    path: 'resourceId',
    remedy: 'Set resourceId; or threadId for a thread without a resource; or both for one thread of the resource.',
  });
}
