// Waiting for the bus: what is asked over a connection that is not there, or whose server has stopped, is lost.
import { serverAnswers, type Bus } from '@millrace/bus';

/** Longer than the acknowledgement of a command is waited for: an owner that is slower than that is no longer one. */
const RECONNECT_WITHIN_MS = 30_000;
const PONG_WITHIN_MS = 500;
/** The client tries to connect again by itself; a server that has stopped is asked again so often. */
const LOOK_AGAIN_MS = 500;

/** Whether the server answers: at once where it does, else when it is back. False after 30 s, or when the signal fires. */
export async function reconnected(bus: Bus, signal: AbortSignal): Promise<boolean> {
  const giveUpAt = performance.now() + RECONNECT_WITHIN_MS;
  while (!signal.aborted) {
    if (await serverAnswers(bus, PONG_WITHIN_MS)) return true;
    if (performance.now() > giveUpAt) return false;
    await newConnection(bus, signal, LOOK_AGAIN_MS);
  }
  return false;
}

async function newConnection(bus: Bus, signal: AbortSignal, withinMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  const timer = setTimeout(done, withinMs);
  const forget = bus.onReconnect(done);
  signal.addEventListener('abort', done, { once: true });
  await promise;
  clearTimeout(timer);
  forget();
  signal.removeEventListener('abort', done);
}
