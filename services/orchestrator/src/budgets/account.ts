// One account of a budget on this orchestrator: gathers the operations that wait, and writes them at once, so that any number of concurrent
// calls costs one write at a time.
import type { JetStreamAccess } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { createAccountEntry, type AccountEntry } from './account-entry.ts';
import type { LedgerOp, OpResult } from './ledger.ts';

/** Pause after a write that failed, ms. */
const RETRY_MS = 250;
/** Longest pause after a conflict with another orchestrator, ms. */
const CONFLICT_MS = 10;

export type Account = Pick<AccountEntry, 'readRecent'> & {
  /** Resolves when the operation is stored. While NATS is away, the operation waits. */
  apply(op: LedgerOp): Promise<OpResult>;
  /** Returns the sum that calls of this orchestrator hold. */
  readHeld(): number;
  isIdle(): boolean;
  /** Resolves when the operations that wait are stored. */
  flush(): Promise<void>;
  /** Gives up the operations that wait. */
  stop(): void;
};

type WaitingOp = { op: LedgerOp; resolve: (result: OpResult) => void };
type AccountParts = { access: JetStreamAccess; key: string; onError: (error: unknown) => void };

export function createAccount({ access, key, onError }: AccountParts): Account {
  const entry = createAccountEntry(access, key);
  const queue: WaitingOp[] = [];
  const stopped = new AbortController();
  let writing: Promise<void> | undefined;
  let held = 0;

  const take = (op: LedgerOp, result: OpResult) => {
    if (op.kind === 'reserve' && 'ok' in result) held += op.amount;
    if (op.kind === 'settle') held -= op.reserved;
  };
  const writeBatch = async (): Promise<void> => {
    const batch = [...queue];
    const results = await entry.tryOps(batch.map(({ op }) => op));
    if (!results) return delay(Math.random() * CONFLICT_MS);
    queue.splice(0, batch.length);
    for (const [at, { op, resolve }] of batch.entries()) {
      const result = results[at];
      if (!result) continue;
      take(op, result);
      resolve(result);
    }
  };
  const writeAll = async (): Promise<void> => {
    while (queue.length > 0 && !stopped.signal.aborted) {
      await writeBatch().catch((error: unknown) => {
        onError(error);
        return delay(RETRY_MS);
      });
    }
    writing = undefined;
  };
  return {
    readRecent: entry.readRecent,
    apply(op) {
      const { promise, resolve } = Promise.withResolvers<OpResult>();
      queue.push({ op, resolve });
      writing ??= writeAll();
      return promise;
    },
    readHeld: () => held,
    isIdle: () => held === 0 && queue.length === 0,
    flush: async () => writing,
    stop: () => stopped.abort(),
  };
}
