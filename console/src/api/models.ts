// Providers, and the state of the models of applied agents.
import { queryOptions } from '@tanstack/react-query';
import type { ModelsAnswer } from '@millrace/contracts';
import { requestJson } from './request.ts';

const POLL_MS = 5_000;

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () => requestJson<ModelsAnswer>('/v1/models/health'),
  refetchInterval: POLL_MS,
});
