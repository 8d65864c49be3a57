// Routes of operators: suspended runs, dead letters, processors, keys.
import { queryOptions } from '@tanstack/react-query';
import type { ApiAnswer, JsonValue, RunStatus, ShownKey, Suspension } from '@millrace/contracts';
import { requestJson, writeQuery } from './request.ts';

const POLL_MS = 5_000;

export const suspendedQuery = queryOptions({
  queryKey: ['suspended'],
  queryFn: async () => (await requestJson<{ suspended: Suspension[] }>('/v1/suspended')).suspended,
  refetchInterval: POLL_MS,
});

export type AcceptedAnswer = { runId: string; status: RunStatus };

/** `args` replace the arguments of an approved call: every guard of the call judges them. */
export type Settlement = { data: JsonValue; args?: Record<string, JsonValue> };

/** @param verb `answer` for the caller of a question, `resume` for an operator */
export const settlePending = (
  verb: 'answer' | 'resume',
  runId: string,
  token: string,
  { data, args }: Settlement,
): Promise<AcceptedAnswer> =>
  requestJson(`/v1/runs/${runId}/${verb}`, { method: 'POST', body: { token, data, ...(args && { args }) } });

export const releaseRun = (runId: string): Promise<AcceptedAnswer> =>
  requestJson(`/v1/runs/${runId}/release`, { method: 'POST', body: {} });

export const cancelRun = (runId: string): Promise<AcceptedAnswer> =>
  requestJson(`/v1/runs/${runId}/cancel`, { method: 'POST', body: {} });

export const buildDeadLettersQuery = (after: number) =>
  queryOptions({
    queryKey: ['dead-letters', after],
    queryFn: () => requestJson<ApiAnswer<'dead-letters-list'>>(`/v1/dead-letters${writeQuery({ limit: 50, after })}`),
  });

export const retryDeadLetter = (runId: string): Promise<ApiAnswer<'dead-letters-retry'>> =>
  requestJson(`/v1/dead-letters/${runId}/retry`, { method: 'POST', body: {} });

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: async () => (await requestJson<{ keys: ShownKey[] }>('/v1/keys')).keys,
});
