// Ends a process by its id: asks, waits a bounded time, then makes it.
import { waitUntil } from './wait-until.ts';

/** A store that is being written needs a moment to close; half a minute would be a hang. */
const TERMINATE_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 5_000;

/** Answers whether the process is gone. `isGone` says so, since only the caller knows how to see it. */
export async function endProcess(pid: number, isGone: () => Promise<boolean> | boolean): Promise<boolean> {
  const gone = async () => ((await isGone()) ? true : undefined);
  // First of all: an id that somebody else has by now must not get a signal.
  if (await isGone()) return true;
  send(pid, 'SIGTERM');
  if (await waitUntil(gone, TERMINATE_TIMEOUT_MS)) return true;
  send(pid, 'SIGKILL');
  return (await waitUntil(gone, KILL_TIMEOUT_MS)) ?? false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or not ours to signal: isGone tells which.
  }
}
