// Stores dead letters: runs and saves that were abandoned, for an operator to inspect and retry.
import { deadLetterSchema, stateKeys, type DeadLetter } from '@millrace/contracts';
import { createConflictError, readEntry, writeEntry, type BucketEntry, type JetStreamAccess } from '@millrace/bus';
import { retryThroughOutages } from '../streams/retry-outages.ts';

export const DEAD_LETTER_TTL_SECONDS = 7 * 24 * 3_600;

/** @throws message-too-large, bus-unreachable, store-unavailable */
export async function keepDeadLetter(access: JetStreamAccess, letter: DeadLetter): Promise<void> {
  const { tenant, runId } = letter;
  const key = stateKeys.deadLetter(tenant, runId);
  await retryThroughOutages(`the dead letter of ${tenant}.${runId}`, () =>
    writeEntry(access, access.bus.names.state, key, letter, { ttlSeconds: DEAD_LETTER_TTL_SECONDS }),
  );
}

export function readDeadLetter(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
): Promise<BucketEntry<DeadLetter> | undefined> {
  return readEntry(access, access.bus.names.state, stateKeys.deadLetter(tenant, runId), deadLetterSchema);
}

/** @throws state-conflict */
export async function changeDeadLetter(
  access: JetStreamAccess,
  { revision }: BucketEntry<DeadLetter>,
  next: DeadLetter,
): Promise<void> {
  const key = stateKeys.deadLetter(next.tenant, next.runId);
  const options = { expectedRevision: revision, ttlSeconds: DEAD_LETTER_TTL_SECONDS };
  if ('conflict' in (await writeEntry(access, access.bus.names.state, key, next, options)))
    throw createConflictError(key);
}
