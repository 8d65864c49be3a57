// Processors, their load, and trials of one.
import { queryOptions } from '@tanstack/react-query';
import type { JsonValue, ProcessorInfo, RefusedEndpoint, TryAnswer } from '@millrace/contracts';
import { requestJson } from './request.ts';

export type ProcessorSurvey = { processors: ProcessorInfo[]; refused?: RefusedEndpoint[]; refusedTotal?: number };
const POLL_MS = 5_000;

export const processorsQuery = queryOptions({
  queryKey: ['processors'],
  queryFn: () => requestJson<ProcessorSurvey>('/v1/processors'),
  refetchInterval: POLL_MS,
});

export type Trial = { text: string; stage?: string | undefined; options?: Record<string, JsonValue> };

export const tryProcessor = (processor: string, { text, stage, options }: Trial): Promise<TryAnswer> =>
  requestJson(`/v1/processors/${processor}/try`, {
    method: 'POST',
    body: { text, ...(stage !== undefined && { stage }), ...(options && { options }) },
  });
