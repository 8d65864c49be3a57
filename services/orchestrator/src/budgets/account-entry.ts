// The entry of one account in the bucket BUDGETS, written by compare-and-set.
import { COMMON_VERSION } from '@millrace/contracts';
import { locateEntry, writeEntry, type JetStreamAccess } from '@millrace/bus';
import { applyOps, ledgerSchema, type Ledger, type LedgerOp, type OpResult } from './ledger.ts';

/** An account without a change expires after this: longer than a month. */
const ENTRY_TTL_SECONDS = 40 * 24 * 3_600;
/** A read of the account serves further readers for this long, ms. */
const RECENT_MS = 1_000;

export type AccountEntry = {
  /** Returns the results, or undefined if the account has changed in between. @throws store-unavailable, bus-unreachable */
  tryOps(ops: readonly LedgerOp[]): Promise<OpResult[] | undefined>;
  /** Returns the account as it was within the last second. @throws store-unavailable, bus-unreachable */
  readRecent(): Promise<Ledger | undefined>;
};

type EntryState = { ledger: Ledger | undefined; revision: number };

export function createAccountEntry(access: JetStreamAccess, key: string): AccountEntry {
  const bucket = access.bus.names.budgets;
  const holder = access.bus.id;
  /** Of the last own write, which another orchestrator may have followed. */
  let last: EntryState | undefined;
  let recent: { at: number; read: Promise<EntryState> } | undefined;
  let writes = 0;

  const readState = async (): Promise<EntryState> => {
    const located = await locateEntry(access, bucket, key, ledgerSchema);
    if ('error' in located) throw located.error;
    return { ledger: 'value' in located ? located.value : undefined, revision: located.revision };
  };
  /** Returns undefined if another orchestrator was first. */
  const write = async (ledger: Ledger, expectedRevision: number): Promise<EntryState | undefined> => {
    const options = { expectedRevision, ttlSeconds: ENTRY_TTL_SECONDS };
    try {
      const written = await writeEntry(access, bucket, key, { ...ledger, v: COMMON_VERSION }, options);
      return 'conflict' in written ? undefined : { ledger, ...written };
    } catch (error) {
      // The write may have been stored although its answer is lost.
      const stored = await readState().catch(() => undefined);
      if (stored?.ledger?.holders[holder]?.write === ledger.holders[holder]?.write) return stored;
      throw error;
    }
  };
  return {
    async tryOps(ops) {
      const isRead = last === undefined;
      const before = last ?? (await readState());
      last = undefined;
      writes += 1;
      const { ledger, results } = applyOps(before.ledger, { holder, write: writes, now: access.clock.now() }, ops);
      const isRefused = results.some((result) => 'short' in result);
      // The current account alone refuses.
      if (isRefused && !isRead) return undefined;
      const changes = results.some((result) => 'ok' in result);
      const state = changes ? await write(ledger, before.revision) : before;
      if (!state) return undefined;
      last = state;
      recent = { at: performance.now(), read: Promise.resolve(state) };
      return results;
    },
    async readRecent() {
      if (!recent || performance.now() - recent.at > RECENT_MS) {
        const reading = { at: performance.now(), read: readState() };
        recent = reading;
        reading.read.catch(() => recent === reading && (recent = undefined));
      }
      return (await recent.read).ledger;
    },
  };
}
