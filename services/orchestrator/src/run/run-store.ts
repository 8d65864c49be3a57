// The I/O of a run's state: write-once records of actions, and the head that says which of them count, moved by compare-and-set.
// After a refused or ambiguous write the entry is read back from the leader: our own write means go on, another epoch means that
// somebody else owns the run now.
import { recordSchema, runHeadSchema, stateKeys, type RunAction, type RunHead } from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';

/** A final state lives 24 h; a run may last 24 h before that. */
const STATE_TTL_SECONDS = 48 * 3600;
const FINAL_TTL_SECONDS = 24 * 3600;

/** The run belongs to another owner. Whoever gets this stops and says nothing more. */
export class FencedError extends Error {
  constructor(tenant: string, runId: string) {
    super(`${tenant}.${runId} has another owner`);
    this.name = 'FencedError';
  }
}

export type RunStore = {
  head(): RunHead;
  /** @throws FencedError */
  write(change: Partial<RunHead>, final?: boolean): Promise<void>;
  /** Adds a record; it counts when the next head names it. */
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

  const put = async (next: RunHead, ttlSeconds: number): Promise<boolean> => {
    const written = await writeEntry(access, bucket, key, next, { expectedRevision: current, ttlSeconds }).catch(
      () => undefined,
    );
    if (written && 'revision' in written) {
      current = written.revision;
      head = next;
      return true;
    }
    const there = await readEntry(access, bucket, key, runHeadSchema);
    const own =
      there?.value.epoch === next.epoch && there.value.command === next.command && there.value.write === next.write;
    if (!own || !there) return false;
    current = there.revision;
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
      await writeEntry(access, bucket, stateKeys.record(tenant, runId, name), value, {
        expectedRevision: 0,
        ttlSeconds: STATE_TTL_SECONDS,
      });
    },
    cancelAsked: async () =>
      (await readEntry(access, bucket, stateKeys.cancel(tenant, runId), z.unknown())) !== undefined,
  };
}
