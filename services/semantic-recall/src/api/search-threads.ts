// Implements the public verb threads-search: the messages of one owner that are nearest to a query in meaning.
import { MAX_SEARCH_MESSAGES, MillraceError, type ApiAnswer, type ApiRequest } from '@millrace/contracts';
import { buildResourceOwner, buildThreadOwner, requireOwnResource, type MemoryCaller } from '@millrace/stores';
import { chooseTextToEmbed } from '../processor/messages-to-index.ts';
import type { RecallDependencies } from '../processor/semantic-recall.ts';
import type { NearestQuery, RecallHit, RecalledMessage } from '../store/vector-store.ts';

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
    refuseTooMany(request);
    await requireOwnResource(call, request.resourceId);
    const signal = AbortSignal.timeout(SEARCH_WITHIN_MS);
    const [vector = []] = await embedder.embed([chooseTextToEmbed(request.query)], { abortSignal: signal });
    if (vector.every((value) => value === 0)) return { hits: [] };
    const { limit: topK, threshold } = request;
    const owner = { tenant: call.tenant, key: scope.key };
    const query: NearestQuery = { owner, threadId: scope.threadId, exceptRunId: NO_RUN, vector, topK, threshold };
    const space = { embedder: embedder.id, dimensions: vector.length };
    const found = await store.findNearest(space, query, signal);
    const { withPrevious: before, withNext: after } = request;
    const around = before + after > 0 ? found : [];
    const range = { owner, exceptRunId: NO_RUN, around, before, after };
    const surrounding = around.length > 0 ? await store.findSurrounding(space, range, signal) : [];
    return { hits: found.map((hit) => ({ ...describeHit(hit), ...listNeighbours(hit, surrounding, request) })) };
  };

const describeMessage = ({ messageId, role, text, createdAt }: RecalledMessage) => ({
  messageId,
  role,
  text,
  createdAt,
});
const describeHit = (hit: RecallHit) => ({ ...describeMessage(hit), threadId: hit.threadId, score: hit.score });

/** @param surrounding the messages around all hits, some of them several times */
function listNeighbours(
  { threadId, order }: RecallHit,
  surrounding: readonly RecalledMessage[],
  { withPrevious, withNext }: Pick<SearchRequest, 'withPrevious' | 'withNext'>,
) {
  const own = surrounding.filter((one) => one.threadId === threadId);
  const sorted = [...new Map(own.map((one) => [one.order, one])).values()].toSorted((a, b) => a.order - b.order);
  const previous = withPrevious === 0 ? [] : sorted.filter((one) => one.order < order).slice(-withPrevious);
  const next = sorted.filter((one) => one.order > order).slice(0, withNext);
  return {
    ...(withPrevious > 0 && { previous: previous.map(describeMessage) }),
    ...(withNext > 0 && { next: next.map(describeMessage) }),
  };
}

/** The answer is one message of the bus. @throws message-invalid */
function refuseTooMany({ limit, withPrevious, withNext }: SearchRequest): void {
  const most = limit * (1 + withPrevious + withNext);
  if (most <= MAX_SEARCH_MESSAGES) return;
  throw new MillraceError(
    'message-invalid',
    `The answer may have ${most} messages; at most ${MAX_SEARCH_MESSAGES} fit.`,
    {
      path: 'limit',
      remedy: 'Set a smaller limit, withPrevious or withNext.',
    },
  );
}

function readScope({ resourceId, threadId }: SearchRequest): { key: string; threadId: string | undefined } {
  if (resourceId !== undefined) return { key: buildResourceOwner(resourceId), threadId };
  if (threadId !== undefined) return { key: buildThreadOwner(threadId), threadId };
  throw new MillraceError('message-invalid', 'The request names no owner of messages.', {
    path: 'resourceId',
    remedy: 'Set resourceId; or threadId for a thread without a resource; or both for one thread of the resource.',
  });
}
