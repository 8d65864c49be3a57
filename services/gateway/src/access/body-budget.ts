// Bounds the bytes of the bodies that arrive at the same time: a caller that sends slowly holds the memory of its body.
import { MillraceError } from '@millrace/contracts';

/** Bodies of the maximum size that arrive at the same time, of one account and of all. */
const ACCOUNT_BODIES = 16;
const ALL_BODIES = 64;
const RETRY_AFTER_MS = 1_000;

export type ArrivingBody = {
  /** Counts bytes that have arrived. @throws limit-exceeded if the account or the gateway has no room, or the body was freed */
  grow(bytes: number): void;
  /** Frees the bytes of the body. Idempotent. */
  free(): void;
};

/** @param maxBytes maximum size of one body */
export function createBodyBudget(maxBytes: number): (account: string) => ArrivingBody {
  const held = new Map<string, number>();
  let total = 0;
  return (account) => {
    let own = 0;
    let isFree = false;
    return {
      grow(bytes) {
        const ofAccount = (held.get(account) ?? 0) + bytes;
        if (isFree || ofAccount > ACCOUNT_BODIES * maxBytes) throw createBodyError('The credential sends');
        if (total + bytes > ALL_BODIES * maxBytes) throw createBodyError('All callers together send');
        held.set(account, ofAccount);
        own += bytes;
        total += bytes;
      },
      free() {
        isFree = true;
        total -= own;
        const left = (held.get(account) ?? 0) - own;
        own = 0;
        if (left > 0) held.set(account, left);
        else held.delete(account);
      },
    };
  };
}

const createBodyError = (subject: string): MillraceError =>
  new MillraceError('limit-exceeded', `${subject} too many bytes of bodies at the same time.`, {
    retryAfterMs: RETRY_AFTER_MS,
    remedy: 'Wait for the time of retry-after.',
  });
