// Filters of Qdrant's payload: what a query may see and what a save may replace. Every key is one that is indexed.
import { checkTenant, RUN_MARK_TTL_MS } from '@millrace/stores';
import { orderOf, type RecallOwner, type RecallPlace } from '../../store/vector-store.ts';
import type { IndexedField } from './qdrant-payload.ts';

type Bounds = { lt?: number; lte?: number; gt?: number; gte?: number };
export type Condition =
  | { key: IndexedField; match: { value: string } }
  | { key: IndexedField; range: Bounds }
  | { has_id: string[] };

export const is = (key: IndexedField, value: string): Condition => ({ key, match: { value } });
export const range = (key: IndexedField, bounds: Bounds): Condition => ({ key, range: bounds });

/** @throws token-invalid */
export function ofOwner({ tenant, key }: RecallOwner, threadId?: string): Condition[] {
  const owner = [is('tenant', checkTenant(tenant)), is('resource', key)];
  return threadId === undefined ? owner : [...owner, is('thread', threadId)];
}

/** What lies before is of runs that nobody knows of any more, whatever their ids. */
export function ofRun(place: RecallPlace & { runId: string }): Condition[] {
  const since = orderOf(Date.now() - RUN_MARK_TTL_MS, 0);
  return [...ofOwner(place, place.threadId), is('run', place.runId), range('order', { gte: since })];
}
