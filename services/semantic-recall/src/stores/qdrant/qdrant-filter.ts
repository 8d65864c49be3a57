// Filters of Qdrant's payload: the points that a query reads and those that a save replaces. Every key is indexed.
import { checkTenant, RUN_MARK_TTL_MS } from '@millrace/stores';
import { computeOrder, type RecallOwner, type RecallPlace } from '../../store/vector-store.ts';
import type { IndexedField } from './qdrant-payload.ts';

type Bounds = { lt?: number; lte?: number; gt?: number; gte?: number };
export type Condition =
  | { key: IndexedField; match: { value: string } }
  | { key: IndexedField; range: Bounds }
  | { has_id: string[] };

export const matchValue = (key: IndexedField, value: string): Condition => ({ key, match: { value } });
export const buildRange = (key: IndexedField, bounds: Bounds): Condition => ({ key, range: bounds });

/** @throws token-invalid */
export function filterByOwner({ tenant, key }: RecallOwner, threadId?: string): Condition[] {
  const owner = [matchValue('tenant', checkTenant(tenant)), matchValue('resource', key)];
  return threadId === undefined ? owner : [...owner, matchValue('thread', threadId)];
}

/** Ignores older points: the marks of their runs have expired, so an equal run id names another run. */
export function filterByRun(place: RecallPlace & { runId: string }): Condition[] {
  const since = computeOrder(Date.now() - RUN_MARK_TTL_MS, 0);
  return [...filterByOwner(place, place.threadId), matchValue('run', place.runId), buildRange('order', { gte: since })];
}
