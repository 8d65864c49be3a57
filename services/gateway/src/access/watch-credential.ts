// Ends what a credential has opened when it is revoked or expires.
import type { Identity } from '@millrace/contracts';
import type { AccessContext } from './access-context.ts';

/** Longest delay of a timer, ms: a later expiry is beyond the life of any stream. */
const MAX_TIMER_MS = 2_147_483_647;

/** Calls `end` once. Returns the function that stops the watch. */
export function watchCredential(
  { keyId, expiresAt }: Identity,
  { onRevoked }: Pick<AccessContext, 'onRevoked'>,
  end: () => void,
): () => void {
  const forget = onRevoked((revoked) => {
    if (revoked === keyId) end();
  });
  const timer =
    expiresAt === undefined
      ? undefined
      : setTimeout(end, Math.min(Math.max(Date.parse(expiresAt) - Date.now(), 0), MAX_TIMER_MS)).unref();
  return () => {
    forget();
    clearTimeout(timer);
  };
}
