// Makes one call to a store: skips it for a cancelled caller, and codes every failure in the same way for all stores.
// An unavailable, full, locked or broken store is `store-unavailable`; a rejected statement is a bug of ours.
import { MillraceError } from '@millrace/contracts';
import { storeRefused, storeUnavailable } from './store-errors.ts';

/** @param what verb phrase for the error message: "The message store did not <what>" */
export type StoreCall = <T>(what: string, signal: AbortSignal | undefined, ask: () => T | Promise<T>) => Promise<T>;

/** @param store its name in messages: "message store" */
export function storeCalls(store: string): StoreCall {
  return async (what, signal, ask) => {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (MillraceError.isInstance(error) || isOurs(error)) throw error;
      throw isRefusal(error) ? storeRefused(store, what, error) : storeUnavailable(store, what, error);
    }
  };
}

const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];
function isOurs(error: unknown): boolean {
  return BUGS.some((bug) => error instanceof bug) || (error instanceof Error && error.name === 'ZodError');
}

/**
 * Errors of a working Redis for an invalid command or script. LOADING, READONLY, OOM, BUSY and the like are temporary.
 */
const REDIS_REFUSALS = /^(ERR(?! max number of clients)|WRONGTYPE|NOSCRIPT|CROSSSLOT)\b(?!.*READONLY)/s;
/** SQLite's primary result codes for a statement that is wrong: ERROR, MISMATCH, MISUSE, RANGE. */
const SQLITE_REFUSALS: readonly unknown[] = [1, 20, 21, 25];

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ReplyError') return REDIS_REFUSALS.test(error.message);
  return 'errcode' in error && typeof error.errcode === 'number' && SQLITE_REFUSALS.includes(error.errcode & 0xff);
}
