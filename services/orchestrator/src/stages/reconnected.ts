// Waiting for the bus: what is asked over a connection that is not there is lost.
import type { Bus } from '@millrace/bus';

/** A write is tried again for 15 s; who waits for the bus waits a little longer. */
const RECONNECT_WITHIN_MS = 20_000;

/** Resolves when there is a connection, at once where there is one; when the signal fires; or after 20 s. */
export async function reconnected(bus: Bus, signal: AbortSignal): Promise<void> {
  if (bus.connected() || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, RECONNECT_WITHIN_MS);
  const done = () => resolve();
  const forget = bus.onReconnect(done);
  signal.addEventListener('abort', done, { once: true });
  await promise;
  clearTimeout(timer);
  forget();
  signal.removeEventListener('abort', done);
}
