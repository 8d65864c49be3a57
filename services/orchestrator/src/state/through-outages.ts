// Tries I/O again while the bus is away. A stream that lost its leader is back after 5 to 7 s, a server that is restarted sooner:
// neither may cost a run its life. Only for what may be done twice.
import { MillraceError, isRetryable } from '@millrace/contracts';
import { isBug } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { FencedError } from './fenced-error.ts';

const RETRY_WAIT_MS = 200;
/** The same bound as that of acknowledged publishes. */
const GIVE_UP_AFTER_MS = 15_000;

/** @throws what is permanent at once; what stays so for `giveUpAfterMs`, naming `what` */
export async function throughOutages<T>(
  what: string,
  work: () => Promise<T>,
  giveUpAfterMs: number = GIVE_UP_AFTER_MS,
): Promise<T> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (;;) {
    const triedAt = performance.now();
    try {
      return await work();
    } catch (cause) {
      if (cause instanceof FencedError || isBug(cause)) throw cause;
      const coded = MillraceError.isInstance(cause) ? cause : undefined;
      if (coded && !isRetryable(coded.code)) throw coded;
      // The last try begins when the time is up: one before it may have been lost with the connection that is back by now.
      if (triedAt > giveUpAt) {
        const code = coded?.code === 'store-unavailable' ? coded.code : 'bus-unreachable';
        throw new MillraceError(code, `${what} could not be stored or read: ${String(cause)}`, {
          cause,
          remedy: 'Submit again when NATS is back.',
        });
      }
      await delay(RETRY_WAIT_MS);
    }
  }
}
