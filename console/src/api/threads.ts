// Threads, their messages and working memory.
import { queryOptions } from '@tanstack/react-query';
import type { ApiAnswer, Message } from '@millrace/contracts';
import { Problem } from './problem.ts';
import { requestJson, writeQuery } from './request.ts';

export const THREADS_PER_PAGE = 50;
const MESSAGES_SHOWN = 200;
/** A thread without stored messages, and an installation without a history. */
const UNSTORED = new Set(['thread-unknown', 'nobody-there']);

export const threadsQuery = (offset: number, resourceId?: string, limit = THREADS_PER_PAGE) =>
  queryOptions({
    queryKey: ['threads', offset, resourceId ?? '', limit],
    queryFn: () => requestJson<ApiAnswer<'threads-list'>>(`/v1/threads${writeQuery({ limit, offset, resourceId })}`),
    placeholderData: (previous: ApiAnswer<'threads-list'> | undefined) => previous,
  });

export const threadQuery = (thread: string) =>
  queryOptions({
    queryKey: ['thread', thread],
    queryFn: () => requestJson<ApiAnswer<'threads-get'>>(`/v1/threads/${encodeURIComponent(thread)}`),
  });

export const messagesQuery = (thread: string) =>
  queryOptions({
    queryKey: ['messages', thread],
    queryFn: () =>
      orElse<{ messages: Message[]; total: number }>(
        requestJson(`/v1/threads/${encodeURIComponent(thread)}/messages?last=${MESSAGES_SHOWN}`),
        { messages: [], total: 0 },
      ),
  });

export type NewestRun = ApiAnswer<'runs-newest'>;

/** The newest run of a thread, or null. */
export const newestRunQuery = (thread: string) =>
  queryOptions({
    queryKey: ['newest', thread],
    queryFn: async () => {
      try {
        return await requestJson<NewestRun>(`/v1/threads/${encodeURIComponent(thread)}/newest-run`);
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return null;
        throw error;
      }
    },
    staleTime: 0,
  });

async function orElse<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Problem && UNSTORED.has(error.code)) return otherwise;
    throw error;
  }
}

export const renameThread = (thread: string, title: string): Promise<unknown> =>
  requestJson(`/v1/threads/${encodeURIComponent(thread)}`, { method: 'PATCH', body: { title } });

export const deleteThread = (thread: string): Promise<unknown> =>
  requestJson(`/v1/threads/${encodeURIComponent(thread)}`, { method: 'DELETE' });

export const memoryQuery = (address: { resourceId?: string; threadId?: string }) =>
  queryOptions({
    queryKey: ['memory', address],
    queryFn: () => requestJson<ApiAnswer<'memory-get'>>(`/v1/memory${writeQuery(address)}`),
  });

/** A request with the same id returns the progress of the same erasure. */
export const eraseResource = (resourceId: string, eraseId: string): Promise<ApiAnswer<'erase'>> =>
  requestJson('/v1/erasures', { method: 'POST', body: { resourceId, eraseId } });
