// Retries I/O while the bus is unavailable. A stream without a leader recovers within 5 to 7 s, a restarted server
// sooner: neither may fail a run. Only for idempotent work.
import { MillraceError, isRetryable, timings } from '@millrace/contracts';
import { isBug } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { FencedError } from './fenced-error.ts';

const RETRY_WAIT_MS = 200;

/** @throws a permanent failure at once; a lasting one after `giveUpAfterMs`, with the name `what` */
export async function retryThroughOutages<T>(
  what: string,
  work: () => Promise<T>,
  giveUpAfterMs: number = timings.outageMs,
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
      // The last try begins after the time is up: an earlier one may have been lost with a connection that has been
      // restored since.
      if (triedAt > giveUpAt) {
        const code = coded?.code === 'store-unavailable' ? coded.code : 'bus-unreachable';
        throw new MillraceError(code, `${what} could not be stored or read: ${String(cause)}`, {
          cause,
          remedy: 'Submit again when NATS is available.',
        });
      }
      await delay(RETRY_WAIT_MS);
    }
  }
}
