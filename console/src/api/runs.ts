// Runs: lists, one run, its events, and its calls in flight.
import { queryOptions } from '@tanstack/react-query';
import type { ApiAnswer, PublicRunEvent, RunEvent, RunInspection } from '@millrace/contracts';
import { isMissingRoute, requestJson, writeQuery } from './request.ts';

export type ShownRun = ApiAnswer<'run'>;
export type RunPage = ApiAnswer<'runs-list'>;
export type AnyEvent = RunEvent | PublicRunEvent;

const LIVE_MS = 1_000;
const LIST_MS = 5_000;
const RUNS_PER_PAGE = 50;

export type RunFilter = {
  status?: string | undefined;
  agent?: string | undefined;
  threadId?: string | undefined;
  subject?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

export const buildRunsQuery = (filter: RunFilter, after: number | undefined, limit = RUNS_PER_PAGE) =>
  queryOptions({
    queryKey: ['runs', filter, after ?? 0, limit],
    queryFn: () => requestJson<RunPage>(`/v1/runs${writeQuery({ ...filter, newest: true, limit, after })}`),
    // Only the first page changes by itself.
    refetchInterval: after === undefined ? LIST_MS : false,
    placeholderData: (previous: RunPage | undefined) => previous,
  });

export const runQuery = (runId: string, isLive = true) =>
  queryOptions({
    queryKey: ['run', runId],
    queryFn: () => requestJson<ShownRun>(`/v1/runs/${runId}`),
    refetchInterval: ({ state }) => (isLive && isActive(state.data?.status) ? LIVE_MS : false),
  });

export const isActive = (status: string | undefined): boolean =>
  status === undefined || status === 'queued' || status === 'running' || status === 'suspended';

/** @param isDetailed for operators: with reasons and spans */
export const buildEventsQuery = (runId: string, isDetailed: boolean, isLive: boolean) =>
  queryOptions({
    queryKey: ['events', runId, isDetailed],
    queryFn: async () =>
      (await requestJson<{ events: AnyEvent[] }>(`/v1/runs/${runId}/${isDetailed ? 'events-detail' : 'events'}`))
        .events,
    refetchInterval: ({ state }) => (isLive || isIncomplete(state.data, state.dataUpdateCount) ? LIVE_MS : false),
  });

/** Reads of an ended run that wait for its last event, which is stored behind its last chunk. */
const LAST_READS = 5;

const isIncomplete = (events: readonly AnyEvent[] | undefined, reads: number): boolean => {
  const last = events?.findLast(({ event }) => event === 'run');
  return reads < LAST_READS && (last?.event !== 'run' || isActive(last.status));
};

/** The calls that a run has in flight. Undefined if this gateway does not report them. */
export const inspectQuery = (runId: string, isLive: boolean) =>
  queryOptions({
    queryKey: ['inspect', runId],
    queryFn: async () => {
      try {
        return await requestJson<RunInspection>(`/v1/runs/${runId}/inspect`);
      } catch (error) {
        if (isMissingRoute(error)) return null;
        throw error;
      }
    },
    refetchInterval: ({ state }) => (isLive && state.data !== null ? LIVE_MS : false),
    enabled: isLive,
  });

/** Changes of the processors: empty unless the agent records changes. */
export const buildChangesQuery = (runId: string) =>
  queryOptions({
    queryKey: ['changes', runId],
    queryFn: async (): Promise<ApiAnswer<'changes'>> => {
      try {
        return await requestJson<ApiAnswer<'changes'>>(`/v1/runs/${runId}/changes`);
      } catch (error) {
        if (isMissingRoute(error)) return { runId, changes: [], omitted: 0, lost: 0 };
        throw error;
      }
    },
  });
