// Bounds the bytes of the bodies that arrive at the same time: a caller that sends slowly holds the memory of its body.
import { MillraceError, createPlaces } from '@millrace/contracts';

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
  const openPlace = createPlaces({ all: ALL_BODIES * maxBytes });
  return (account) => {
    const place = openPlace({ account, most: ACCOUNT_BODIES * maxBytes });
    return {
      grow(bytes) {
        const full = place.grow(bytes);
        if (full) throw createBodyError(full === 'account' ? 'The credential sends' : 'All callers together send');
      },
      free: place.free,
    };
  };
}

const createBodyError = (subject: string): MillraceError =>
  new MillraceError('limit-exceeded', `${subject} too many bytes of bodies at the same time.`, {
    retryAfterMs: RETRY_AFTER_MS,
    remedy: 'Wait for the time of retry-after.',
  });
