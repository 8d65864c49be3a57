// Requests that joined an erasure in progress under an id of their own: their repetitions return that erasure. A join is no part of the
// erasure's entry, because a write of the entry would end the attempt in progress.
import { buildErasedJoinKey, type Erasure } from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { hashResource } from '../state/hash-resource.ts';
import { listErasedRuns } from './erase-runs.ts';

/** `of`: time of the erasure, which identifies it. `at`: time of the first request under that id. */
const joinSchema = z.object({ of: z.number(), at: z.number() });

const buildKey = ({ tenant, resourceId }: Erasure, eraseId: string): string =>
  buildErasedJoinKey(tenant, hashResource(tenant, resourceId), eraseId);

const readJoin = async (access: JetStreamAccess, erasure: Erasure, eraseId: string) => {
  const join = await readEntry(access, access.bus.names.state, buildKey(erasure, eraseId), joinSchema);
  return join?.value.of === erasure.at ? join.value : undefined;
};

/** @throws bus-unreachable, store-unavailable */
export async function joinErasure(
  access: JetStreamAccess,
  erasure: Erasure,
  eraseId: string,
  ttlSeconds: number,
): Promise<void> {
  if (eraseId === erasure.eraseId || (await readJoin(access, erasure, eraseId))) return;
  const join = { of: erasure.at, at: access.clock.now() };
  await writeEntry(access, access.bus.names.state, buildKey(erasure, eraseId), join, { ttlSeconds });
}

/**
 * Returns whether the erasure, which is done, answers the request: it began with the request, or the request joined it, and no run is left
 * that was submitted between the two. The erasure has not fenced such a run.
 */
export async function hasErasedFor(access: JetStreamAccess, erasure: Erasure, eraseId: string): Promise<boolean> {
  if (eraseId === erasure.eraseId) return true;
  const join = await readJoin(access, erasure, eraseId);
  if (!join) return false;
  return (await listErasedRuns(access, { ...erasure, at: join.at }, async () => undefined)).length === 0;
}
