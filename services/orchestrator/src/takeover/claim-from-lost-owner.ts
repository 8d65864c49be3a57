// Requeues the runs of an orchestrator that has left, once: the claim is an entry that exactly one process creates. Because it is a JetStream
// write, the part of a split cluster that has no quorum claims nothing.
import { stateKeys } from '@millrace/contracts';
import { locateEntry, requeue, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { findHeldRuns, hasWritten, type HeldRun } from './held-runs.ts';

/** If a claimed orchestrator turns out to be alive, another claim is possible after this time. */
const CLAIM_TTL_SECONDS = 60;

/** `alive`: the owner has written a head since `before` was read. `nothing`: no run is left to claim. `others`: another process has claimed it. */
export type ClaimOutcome = { claimed: number } | 'alive' | 'nothing' | 'others';

/** @param before the owner's runs as they were when it was first suspected. @throws bus-unreachable, store-unavailable */
export async function claimRuns(
  access: JetStreamAccess,
  owner: string,
  before: readonly HeldRun[],
): Promise<ClaimOutcome> {
  const now = (await findHeldRuns(access)).filter((run) => run.owner === owner);
  if (now.length === 0) return 'nothing';
  if (hasWritten(before, now)) return 'alive';
  const { state } = access.bus.names;
  const key = stateKeys.claim(owner);
  const there = await locateEntry(access, state, key, claimSchema);
  if ('value' in there || 'error' in there) return 'others';
  const options = { expectedRevision: there.revision, ttlSeconds: CLAIM_TTL_SECONDS };
  const claim = { by: access.bus.id, at: new Date().toISOString() };
  if ('conflict' in (await writeEntry(access, state, key, claim, options))) return 'others';
  await requeue(access, now);
  return { claimed: now.length };
}

const claimSchema = z.object({ by: z.string(), at: z.string() });
