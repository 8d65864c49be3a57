import type { ApiAnswer } from '@millrace/contracts';
import { requestJson } from './request.ts';

type Hits = ApiAnswer<'threads-search'>['hits'];

/** @param resourceId default: the subject of the key */
export const searchThreads = async (query: string, resourceId: string | undefined): Promise<Hits> => {
  const body = { query, ...(resourceId !== undefined && { resourceId }) };
  return (await requestJson<{ hits: Hits }>('/v1/threads/search', { method: 'POST', body })).hits;
};
