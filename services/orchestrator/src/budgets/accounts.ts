// The accounts that this orchestrator uses: opens them, and renews the leases of their reservations.
import { waitAtMost, type BusLog, type JetStreamAccess } from '@millrace/bus';
import { createAccount, type Account } from './account.ts';
import { LEASE_MS } from './ledger.ts';

/** Accounts without calls in progress are forgotten above this number. */
const MAX_ACCOUNTS = 10_000;
/** Time for the costs of the last calls when the orchestrator stops, ms. */
const STOP_MS = 1_000;

export type Accounts = {
  open(key: string): Account;
  /** Replaces a reservation by a cost. */
  settle(keys: readonly string[], reserved: number, cost: number): void;
  /** Resolves when the operations that wait are stored, or after a second. */
  stop(): Promise<void>;
};

export function createAccounts(access: JetStreamAccess, log: Pick<BusLog, 'warn'>): Accounts {
  const accounts = new Map<string, Account>();
  const open = (key: string): Account => {
    const onError = (error: unknown) => log.warn({ account: key, error: String(error) }, 'a budget cannot be written');
    const account = accounts.get(key) ?? createAccount({ access, key, onError });
    accounts.delete(key);
    accounts.set(key, account);
    for (const [name, one] of accounts) {
      if (accounts.size <= MAX_ACCOUNTS) break;
      if (one.isIdle()) accounts.delete(name);
    }
    return account;
  };
  const renewing = setInterval(() => {
    for (const account of accounts.values()) if (account.readHeld() > 0) void account.apply({ kind: 'renew' });
  }, LEASE_MS / 3).unref();
  return {
    open,
    settle(keys, reserved, cost) {
      for (const key of keys) void open(key).apply({ kind: 'settle', reserved, cost });
    },
    async stop() {
      clearInterval(renewing);
      const flushed = Promise.all([...accounts.values()].map((account) => account.flush()));
      await waitAtMost(flushed, STOP_MS);
      for (const account of accounts.values()) account.stop();
    },
  };
}
