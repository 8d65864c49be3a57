// The I/O of a run's state: write-once records of actions, the run's end, and the head that says which of them count, moved by
// compare-and-set. After a refused or ambiguous write the entry is read back from the leader: our own write means go on, another
// owner's means that the run is theirs now, and nothing there means that the state was lost.
import { MillraceError, recordSchema, stateKeys, type RunAction, type RunEnd, type RunHead } from '@millrace/contracts';
import { readEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { FencedError } from './fenced-error.ts';
import { FINAL_TTL_SECONDS, locateHead, stateTtlSeconds, writeEnd } from './run-head.ts';
import { throughOutages } from './through-outages.ts';

export type RunStore = {
  head(): RunHead;
  /** @throws FencedError, message-too-large, bus-unreachable; store-unavailable when the state was lost: the next write makes it anew */
  write(change: Partial<RunHead>, final?: boolean): Promise<void>;
  /**
   * Adds what was done, as one record or as many as it takes; they count when the next head names them. Says whether the run was
   * asked to stop by then. @throws message-too-large, bus-unreachable
   */
  record(actions: RunAction[]): Promise<Recorded>;
  /** How the run ends, or is put away; it counts when the head says so. @throws message-too-large, bus-unreachable */
  keepEnd(end: RunEnd, headTtlSeconds?: number): Promise<void>;
};

type Recorded = { count: number; cancelAsked: boolean };

/** Marks a run as cancelled: its owner reads this when it takes the run and at each checkpoint. */
export async function askCancel(access: JetStreamAccess, tenant: string, runId: string): Promise<void> {
  const key = stateKeys.cancel(tenant, runId);
  await writeEntry(access, access.bus.names.state, key, { at: Date.now() }, { ttlSeconds: FINAL_TTL_SECONDS });
}

/** @throws bus-unreachable, store-unavailable */
export function isCancelAsked(access: JetStreamAccess, tenant: string, runId: string): Promise<boolean> {
  return throughOutages(`the cancel key of ${tenant}.${runId}`, async () => {
    const asked = await readEntry(access, access.bus.names.state, stateKeys.cancel(tenant, runId), z.unknown());
    return asked !== undefined;
  });
}

/** @param revision of what `first` replaces, 0 where nothing was. undefined: somebody else was faster. */
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

  type Outcome = 'written' | 'lost' | 'fenced';
  const put = (next: RunHead, ttlSeconds: number): Promise<Outcome> => {
    let ambiguous = false;
    return throughOutages<Outcome>(`the state of ${tenant}.${runId}`, async () => {
      const mayBeThere = ambiguous;
      ambiguous = true;
      const written = await writeEntry(access, bucket, key, next, { expectedRevision: current, ttlSeconds });
      if ('revision' in written) {
        current = written.revision;
        head = next;
        return 'written';
      }
      const there = await locateHead(access, tenant, runId);
      if ('value' in there) {
        // Refused by somebody else's write; by our own only where an earlier try was not answered.
        if (!mayBeThere || !isSameWrite(there.value, next)) return 'fenced';
        current = there.revision;
        head = next;
        return 'written';
      }
      if ('error' in there) return 'fenced';
      current = there.revision;
      return 'lost';
    });
  };
  if ((await put(first, stateTtlSeconds(first))) !== 'written') return undefined;

  const ttlSeconds = () => stateTtlSeconds(head);
  const cancelKey = stateKeys.cancel(tenant, runId);
  const record = async (actions: RunAction[], at: number): Promise<Recorded> => {
    const { epoch } = head;
    const name = recordName(epoch, at);
    const value = recordSchema.parse({ epoch, actions });
    const recordKey = stateKeys.record(tenant, runId, name);
    try {
      // Nobody else writes records of this epoch; what an earlier run of that id has left there does not count.
      const write = (more: { unlessWritten?: string }) =>
        throughOutages(`record ${name} of ${tenant}.${runId}`, () =>
          writeEntry(access, bucket, recordKey, value, { ttlSeconds: ttlSeconds(), ...more }),
        );
      // The server looks whether there is a cancel key: reading it would be a request of its own.
      const written = await write({ unlessWritten: cancelKey });
      if ('revision' in written) return { count: 1, cancelAsked: false };
      // It may be that of an earlier run of that id, which has expired.
      const [asked] = await Promise.all([isCancelAsked(access, tenant, runId), write({})]);
      return { count: 1, cancelAsked: asked };
    } catch (error) {
      if (actions.length < 2 || !isTooLarge(error)) throw error;
    }
    const middle = actions.length >> 1;
    const first = await record(actions.slice(0, middle), at);
    const second = await record(actions.slice(middle), at + first.count);
    return { count: first.count + second.count, cancelAsked: second.cancelAsked };
  };
  return {
    head: () => head,
    async write(change, final = false) {
      const next = { ...head, ...change, owner: access.bus.id, write: head.write + 1 };
      const ttl = final ? FINAL_TTL_SECONDS : stateTtlSeconds(next);
      let outcome = await put(next, ttl);
      // A store that was lost took the command with it: nobody else will end the run.
      if (outcome === 'lost' && final) outcome = await put(next, ttl);
      if (outcome === 'fenced') throw new FencedError(tenant, runId);
      if (outcome === 'lost') throw stateLost(tenant, runId);
    },
    record: (actions) => record(actions, head.records),
    keepEnd: (end, headTtlSeconds) =>
      throughOutages(`the end of ${tenant}.${runId}`, () => writeEnd(access, head, end, headTtlSeconds)),
  };
}

const isTooLarge = (error: unknown): boolean => MillraceError.isInstance(error) && error.code === 'message-too-large';

/** Epoch first: what a replaced owner still writes has another name. */
export const recordName = (epoch: number, at: number): string => `${epoch}-${at}`;
export const epochOf = (record: string): number => Number.parseInt(record, 10);

function isSameWrite(one: RunHead, other: RunHead): boolean {
  const { epoch, owner, command, write } = other;
  return one.epoch === epoch && one.owner === owner && one.command === command && one.write === write;
}

function stateLost(tenant: string, runId: string): MillraceError {
  return new MillraceError('store-unavailable', `The state of ${tenant}.${runId} is gone: its store was lost.`, {
    remedy: 'Submit the request again under a new run id.',
  });
}
