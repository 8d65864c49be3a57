// Waits for the bus: a request over a lost connection, or to a stopped server, is lost.
import { timings } from '@millrace/contracts';
import { isServerAnswering, type Bus } from '@millrace/bus';

const PONG_WITHIN_MS = 500;
/** Interval at which a stopped server is asked again; the client reconnects by itself. */
const LOOK_AGAIN_MS = 500;

/**
 * Resolves with true as soon as the server answers, with false after `timings.reconnectMs` or when the signal fires.
 */
export async function waitForBus(bus: Bus, signal: AbortSignal): Promise<boolean> {
  const giveUpAt = performance.now() + timings.reconnectMs;
  while (!signal.aborted) {
    if (await isServerAnswering(bus, PONG_WITHIN_MS)) return true;
    if (performance.now() > giveUpAt) return false;
    await waitForConnection(bus, signal, LOOK_AGAIN_MS);
  }
  return false;
}

async function waitForConnection(bus: Bus, signal: AbortSignal, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = () => resolve();
  const timer = setTimeout(finish, withinMs);
  const forget = bus.onReconnect(finish);
  signal.addEventListener('abort', finish, { once: true });
  await promise;
  clearTimeout(timer);
  forget();
  signal.removeEventListener('abort', finish);
}
