// Extends the ack wait of a command while its run is driven here: from its delivery on, at once after a reconnect, and
// no longer than the run may take.
import { timings } from '@millrace/contracts';
import type { Delivery, JetStreamAccess } from '@millrace/bus';
import type { RunStop } from '../state/run-stop.ts';

/** Time for an ending that is still being judged, stored and published: longer than the sum of its waits. */
const ENDING_GRACE_MS = 120_000;

/**
 * Returns a function that stops the extension. @param onExpired called if the extension ends while the run is still
 * active
 */
export function extendAck(
  { bus, clock }: JetStreamAccess,
  delivery: Delivery,
  { fenced }: RunStop,
  onExpired: () => void,
  graceMs: number = ENDING_GRACE_MS,
): () => void {
  const { command, submittedAt, request } = delivery.command;
  // The remaining time of a suspended run counts from now on.
  const waitedMs = command === 'resume' ? 0 : clock.now() - submittedAt;
  const untilMs = performance.now() + Math.max(request.deadlineMs - waitedMs, 0) + graceMs;
  const extend = () => {
    // A fenced owner must not extend: the extension would count for its successor's delivery.
    if (fenced.aborted) return letGo();
    if (performance.now() >= untilMs) {
      letGo();
      return onExpired();
    }
    try {
      delivery.extend();
    } catch {
      // The connection is closing, and this process with it: the command is redelivered elsewhere.
      letGo();
    }
  };
  const extending = setInterval(extend, Math.min(timings.ackExtendMs, graceMs));
  const forget = bus.onReconnect(extend);
  const letGo = () => {
    clearInterval(extending);
    forget();
  };
  return letGo;
}
