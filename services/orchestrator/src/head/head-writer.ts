// Moves a run's head by compare-and-set. After a refused or unanswered write the head is read back from the leader: the own write counts,
// another owner's fences this one, and no entry means that the state was lost.
import { COMMON_VERSION, stateKeys, type RunHead } from '@millrace/contracts';
import { writeEntry, type JetStreamAccess } from '@millrace/bus';
import { locateHead } from './run-head.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** `lost`: no head is stored any more; the next `put` creates it. */
type PutOutcome = 'written' | 'lost' | 'fenced';
export type HeadWriter = {
  /** As it was last written here, or given. */
  getHead(): RunHead;
  /** @throws message-too-large, bus-unreachable, store-unavailable */
  put(next: RunHead, ttlSeconds: number): Promise<PutOutcome>;
};

/** @param revision of the stored head that the first `put` replaces; 0 if there was never one */
export function createHeadWriter(access: JetStreamAccess, first: RunHead, revision: number): HeadWriter {
  const { tenant, runId } = first;
  const key = stateKeys.head(tenant, runId);
  let head = first;
  let current = revision;

  const tryPut = async (next: RunHead, ttlSeconds: number, isRetry: boolean): Promise<PutOutcome> => {
    const options = { expectedRevision: current, ttlSeconds };
    const written = await writeEntry(access, access.bus.names.state, key, { ...next, v: COMMON_VERSION }, options);
    if ('revision' in written) {
      current = written.revision;
      return 'written';
    }
    const there = await locateHead(access, tenant, runId);
    if ('error' in there) return 'fenced';
    if (!('value' in there)) {
      current = there.revision;
      return 'lost';
    }
    // The own write caused the refusal only if an earlier try was not answered.
    if (!isRetry || !isSameWrite(there.value, next)) return 'fenced';
    current = there.revision;
    return 'written';
  };
  return {
    getHead: () => head,
    async put(next, ttlSeconds) {
      let tries = 0;
      const outcome = await retryThroughOutages(`the state of ${tenant}.${runId}`, () =>
        tryPut(next, ttlSeconds, tries++ > 0),
      );
      if (outcome === 'written') head = next;
      return outcome;
    },
  };
}

/** One orchestrator may end the same epoch in two ways at once: the name of the end makes its writes distinct. */
function isSameWrite(one: RunHead, other: RunHead): boolean {
  const { epoch, owner, command, write, end } = other;
  const isSameOwner = one.epoch === epoch && one.owner === owner;
  return isSameOwner && one.command === command && one.write === write && one.end?.name === end?.name;
}
