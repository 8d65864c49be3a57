// The I/O of a run's state: write-once records of actions, and the head that says which of them count, moved by compare-and-set.
// After a refused or ambiguous write the entry is read back from the leader: our own write means go on, another epoch means that
// somebody else owns the run now.
import { recordSchema, runHeadSchema, stateKeys, type RunAction, type RunHead } from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { FencedError } from './fenced-error.ts';
import { throughOutages } from './through-outages.ts';

/** A final state lives 24 h; a run may last 24 h before that. */
const STATE_TTL_SECONDS = 48 * 3600;
const FINAL_TTL_SECONDS = 24 * 3600;

export type RunStore = {
  head(): RunHead;
  /** @throws FencedError, message-too-large, bus-unreachable */
  write(change: Partial<RunHead>, final?: boolean): Promise<void>;
  /** Adds a record; it counts when the next head names it. @throws message-too-large, bus-unreachable */
  record(actions: RunAction[]): Promise<void>;
  cancelAsked(): Promise<boolean>;
};

export async function readHead(access: JetStreamAccess, tenant: string, runId: string) {
  return readEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), runHeadSchema);
}

/** Marks a run as cancelled: its owner reads this when it takes the run and at each checkpoint. */
export async function askCancel(access: JetStreamAccess, tenant: string, runId: string): Promise<void> {
  const key = stateKeys.cancel(tenant, runId);
  await writeEntry(
    access,
    access.bus.names.state,
    key,
    { at: Date.now() },
    { expectedRevision: 0, ttlSeconds: FINAL_TTL_SECONDS },
  );
}

/** `revision` 0: the run is new. undefined: somebody else has begun it. */
export async function openRunStore(
  access: JetStreamAccess,
  first: RunHead,
  revision: number,
): Promise<RunStore | undefined> {
  const { tenant, runId } = first;
  const bucket = access.bus.names.state;
  const key = stateKeys.head(tenant, runId);
  let head = first;
  let current = revision;

  /** False: the entry has another owner. */
  const put = async (next: RunHead, ttlSeconds: number): Promise<boolean> => {
    let ambiguous = false;
    const revisionOfNext = await throughOutages(`the state of ${tenant}.${runId}`, async () => {
      const mayBeThere = ambiguous;
      ambiguous = true;
      const written = await writeEntry(access, bucket, key, next, { expectedRevision: current, ttlSeconds });
      if ('revision' in written) return written.revision;
      // Refused by somebody else's write; by our own only where an earlier try was not answered. Two owners that begin
      // at the same time write the same.
      const there = mayBeThere ? await readEntry(access, bucket, key, runHeadSchema) : undefined;
      return there && isSameWrite(there.value, next) ? there.revision : undefined;
    });
    if (revisionOfNext === undefined) return false;
    current = revisionOfNext;
    head = next;
    return true;
  };
  if (!(await put(first, STATE_TTL_SECONDS))) return undefined;

  return {
    head: () => head,
    async write(change, final = false) {
      const next = { ...head, ...change, write: head.write + 1 };
      if (!(await put(next, final ? FINAL_TTL_SECONDS : STATE_TTL_SECONDS))) throw new FencedError(tenant, runId);
    },
    async record(actions) {
      const name = `${head.epoch}-${head.records}`;
      const value = recordSchema.parse({ epoch: head.epoch, actions });
      const recordKey = stateKeys.record(tenant, runId, name);
      // Refused is written: nobody else writes records of this epoch.
      await throughOutages(`record ${name} of ${tenant}.${runId}`, () =>
        writeEntry(access, bucket, recordKey, value, { expectedRevision: 0, ttlSeconds: STATE_TTL_SECONDS }),
      );
    },
    cancelAsked: () =>
      throughOutages(`the cancel key of ${tenant}.${runId}`, async () => {
        const asked = await readEntry(access, bucket, stateKeys.cancel(tenant, runId), z.unknown());
        return asked !== undefined;
      }),
  };
}

function isSameWrite(one: RunHead, other: RunHead): boolean {
  const { epoch, command, write, startedAt } = other;
  return one.epoch === epoch && one.command === command && one.write === write && one.startedAt === startedAt;
}
