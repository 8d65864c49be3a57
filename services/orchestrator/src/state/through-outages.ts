// Tries I/O again while the bus is away. A stream that lost its leader is back after 5 to 7 s (architecture.md, section 8), a
// server that is restarted sooner: neither may cost a run its life. Only for what may be done twice.
import { MillraceError, isRetryable } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';

const RETRY_WAIT_MS = 200;
/** The same bound as that of acknowledged publishes. */
const GIVE_UP_AFTER_MS = 15_000;

/** @throws what is permanent at once; bus-unreachable, naming `what`, when the bus stays away for `giveUpAfterMs` */
export async function throughOutages<T>(
  what: string,
  work: () => Promise<T>,
  giveUpAfterMs: number = GIVE_UP_AFTER_MS,
): Promise<T> {
  const giveUpAt = Date.now() + giveUpAfterMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (MillraceError.isInstance(cause) && !isRetryable(cause.code)) throw cause;
      if (Date.now() > giveUpAt) {
        throw new MillraceError('bus-unreachable', `${what} could not be stored or read: ${String(cause)}`, { cause });
      }
      await delay(RETRY_WAIT_MS);
    }
  }
}
