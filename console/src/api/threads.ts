// Threads, their messages and working memory.
import { queryOptions } from '@tanstack/react-query';
import type { ApiAnswer, Message, Thread } from '@millrace/contracts';
import { Problem } from './problem.ts';
import { requestJson, writeQuery } from './request.ts';

export const THREADS_PER_PAGE = 50;
const MESSAGES_SHOWN = 200;

export const buildThreadsQuery = (offset: number, resourceId?: string, limit = THREADS_PER_PAGE) =>
  queryOptions({
    queryKey: ['threads', offset, resourceId ?? '', limit],
    queryFn: () => requestJson<ApiAnswer<'threads-list'>>(`/v1/threads${writeQuery({ limit, offset, resourceId })}`),
    placeholderData: (previous: ApiAnswer<'threads-list'> | undefined) => previous,
  });

export const buildThreadQuery = (thread: string) =>
  queryOptions({
    queryKey: ['thread', thread],
    queryFn: () => requestJson<ApiAnswer<'threads-get'>>(`/v1/threads/${encodeURIComponent(thread)}`),
  });

/** A thread of an agent without memory has no messages. */
export const buildMessagesQuery = (thread: string) =>
  queryOptions({
    queryKey: ['messages', thread],
    queryFn: async (): Promise<{ messages: Message[]; total: number }> => {
      try {
        return await requestJson(
          `/v1/threads/${encodeURIComponent(thread)}/messages?last=${MESSAGES_SHOWN}&missing=empty`,
        );
      } catch (error) {
        // An installation without a history.
        if (error instanceof Problem && error.code === 'nobody-there') return { messages: [], total: 0 };
        throw error;
      }
    },
  });

/** Title of a thread without a name. */
const UNTITLED = 'New Conversation';

/** Returns the id of a thread without a name. */
export const readTitle = ({ id, title }: Pick<Thread, 'id' | 'title'>): string => (title === UNTITLED ? id : title);

export type NewestRun = ApiAnswer<'runs-newest'>;

/** The newest run of a thread, or null. */
export const buildNewestRunQuery = (thread: string) =>
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

export const renameThread = (thread: string, title: string): Promise<unknown> =>
  requestJson(`/v1/threads/${encodeURIComponent(thread)}`, { method: 'PATCH', body: { title } });

export const deleteThread = (thread: string): Promise<unknown> =>
  requestJson(`/v1/threads/${encodeURIComponent(thread)}`, { method: 'DELETE' });

export const buildMemoryQuery = (address: { resourceId?: string; threadId?: string }) =>
  queryOptions({
    queryKey: ['memory', address],
    queryFn: () => requestJson<ApiAnswer<'memory-get'>>(`/v1/memory${writeQuery(address)}`),
  });

/** A request with the same id returns the progress of the same erasure. */
export const eraseResource = (resourceId: string, eraseId: string): Promise<ApiAnswer<'erase'>> =>
  requestJson('/v1/erasures', { method: 'POST', body: { resourceId, eraseId } });
