// Keeps the queue from giving a command to somebody else while its run is driven here: from its delivery on, at once when a lost
// connection is back, and for no longer than the run may take.
import type { Delivery, JetStreamAccess } from '@millrace/bus';
import type { RunStop } from '../state/run-stop.ts';

/** How often the acknowledgement is extended: with the time for which writes are tried again less than the queue's own wait. */
const EXTEND_MS = 3_000;
/** An ending that is still judged, stored and published: longer than all of its waits. */
const ENDING_GRACE_MS = 120_000;

/** @param expired called when the command is no longer held though its run goes on. Returns what lets go. */
export function holdCommand(
  { bus, clock }: JetStreamAccess,
  delivery: Delivery,
  { fenced }: RunStop,
  expired: () => void,
  graceMs: number = ENDING_GRACE_MS,
): () => void {
  const { command, submittedAt, request } = delivery.command;
  // The remaining time of a suspended run counts from now on.
  const waitedMs = command === 'resume' ? 0 : clock.now() - submittedAt;
  const untilMs = performance.now() + Math.max(request.deadlineMs - waitedMs, 0) + graceMs;
  const extend = () => {
    // An owner that was fenced says nothing more: its word would count for the new one.
    if (fenced.aborted) return letGo();
    if (performance.now() >= untilMs) {
      letGo();
      return expired();
    }
    try {
      delivery.extend();
    } catch {
      // The connection is closing, and with it this process: the command comes again, elsewhere.
      letGo();
    }
  };
  const extending = setInterval(extend, Math.min(EXTEND_MS, graceMs));
  const forget = bus.onReconnect(extend);
  const letGo = () => {
    clearInterval(extending);
    forget();
  };
  return letGo;
}
