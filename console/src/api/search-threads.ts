import { requestJson } from './request.ts';

export type Hit = { threadId: string; messageId: string; text: string; score: number };

export const searchThreads = async (text: string, resourceId: string | undefined): Promise<Hit[]> => {
  const body = { text, ...(resourceId !== undefined && { resourceId }) };
  return (await requestJson<{ hits: Hit[] }>('/v1/threads/search', { method: 'POST', body })).hits;
};
