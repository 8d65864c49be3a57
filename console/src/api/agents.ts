// Agents and their plans.
import { queryOptions } from '@tanstack/react-query';
import type { ApiAnswer, AppliedAgent } from '@millrace/contracts';
import { requestJson } from './request.ts';

export type ListedAgent = { name: string; description?: string; revision: number; appliedAt: string };

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async () => (await requestJson<{ agents: ListedAgent[] }>('/v1/agents')).agents,
});

export const buildAgentQuery = (agent: string) =>
  queryOptions({
    queryKey: ['agent', agent],
    queryFn: () => requestJson<AppliedAgent>(`/v1/agents/${agent}`),
  });

export const applyAgent = (agent: string, definition: unknown, isDryRun: boolean): Promise<ApiAnswer<'agents-apply'>> =>
  requestJson(`/v1/agents/${agent}?dryRun=${isDryRun}`, { method: 'PUT', body: definition });

export const deleteAgent = (agent: string): Promise<unknown> =>
  requestJson(`/v1/agents/${agent}`, { method: 'DELETE' });
