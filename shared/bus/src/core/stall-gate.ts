// Delays new work after the event loop has stalled, until the connection has delivered every message that the server sent before. A
// request that waited in the socket during a stall may be cancelled already: its cancel lies behind it in the same stream of bytes, and
// a replica that starts the request first works for callers that gave up.
import { waitForAbort } from './wait-for-abort.ts';

export type StallGate = {
  /** Undefined if the event loop is responsive; otherwise resolves when all earlier messages are delivered, or when `signal` fires. */
  pass(signal: AbortSignal): Promise<void> | undefined;
  stop(): void;
};

/** Interval of the timer; its delay measures a stall, ms. */
const TICK_MS = 250;
/** A gap between two ticks above this counts as a stall, ms. Shorter ones occur under load, and waste little. */
export const STALL_MS = 3 * TICK_MS;

/** Watches the event loop of this process. The gate belongs to one connection: it flushes that one. */
export function createStallGate({ nc }: { nc: { flush(): Promise<void> } }): StallGate {
  let lastTick = performance.now();
  let flushing: Promise<void> | undefined;
  /** The server answers the flush behind everything that it has sent on this connection. A lost connection delivers nothing more. */
  const flush = async () => {
    await nc.flush().catch(() => undefined);
    flushing = undefined;
  };
  const checkForStall = () => {
    const now = performance.now();
    if (now - lastTick > STALL_MS) flushing ??= flush();
    lastTick = now;
  };
  const timer = setInterval(checkForStall, TICK_MS).unref();
  return {
    pass(signal) {
      // A request may be read in the very turn that stalled, before the timer fires.
      if (performance.now() - lastTick > STALL_MS) checkForStall();
      return flushing && Promise.race([flushing, waitForAbort(signal)]);
    },
    stop: () => clearInterval(timer),
  };
}
