// Defines the erasure of a resource: a stored entry that fences the resource's earlier runs, and its progress by store.
import { z } from 'zod';
import { wireErrorSchema } from '../base/errors.ts';
import { threadIdSchema } from './run.ts';
import { storedVersionSchema } from '../base/stored-version.ts';
import { tokenSchema } from '../base/tokens.ts';

const count = z.number().int().min(0);

/** Progress in one store: `runs`, `saves`, `dead-letters`, `events`, or the name of a service. */
export const erasedStoreSchema = z.object({
  store: tokenSchema,
  deleted: count.describe('number of deleted entries, of all attempts'),
  left: count.optional().describe('number of entries that the last read found; absent: not read yet'),
  error: wireErrorSchema.optional().describe('why the last attempt failed; it is repeated'),
});
export type ErasedStore = z.infer<typeof erasedStoreSchema>;

/** `waiting`: an attempt is repeated later. `confirming`: everything is deleted and is read once more. */
const erasureStatusSchema = z.enum(['active', 'waiting', 'confirming', 'done']);

/** Small, because every orchestrator watches it. */
export const erasureSchema = z.object({
  v: storedVersionSchema,
  tenant: tokenSchema,
  resourceId: threadIdSchema,
  eraseId: tokenSchema.describe('of the request that began it'),
  at: z.number().describe('ms since 1970 by the clock of NATS: runs that were submitted until then are fenced'),
  status: erasureStatusSchema,
  tries: count,
  nextAt: z.number().describe('no attempt before this time: another one is active, or the wait is not over'),
  stores: z.array(erasedStoreSchema).max(64),
});
export type Erasure = z.infer<typeof erasureSchema>;

/** The form that operators see. */
export const shownErasureSchema = erasureSchema
  .pick({ resourceId: true, status: true, tries: true, stores: true })
  .extend({ at: z.string().describe('ISO 8601') });
export type ShownErasure = z.infer<typeof shownErasureSchema>;

export function toShownErasure({ resourceId, status, tries, stores, at }: Erasure): ShownErasure {
  return { resourceId, status, tries, stores, at: new Date(at).toISOString() };
}
