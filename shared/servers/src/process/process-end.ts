// Ends a process by its id: asks, waits a bounded time, then makes it.
import { waitUntil } from './wait-until.ts';

/** A store that is being written needs a moment to close; half a minute would be a hang. */
const TERMINATE_TIMEOUT_MS = 5_000;
const KILL_TIMEOUT_MS = 5_000;

/** Resolves with whether the process has ended. `hasExited` checks it, because only the caller knows how. */
export async function endProcess(pid: number, hasExited: () => Promise<boolean> | boolean): Promise<boolean> {
  const checkExit = async () => ((await hasExited()) ? true : undefined);
  // Checked first: an id that another process has now must not get a signal.
  if (await hasExited()) return true;
  send(pid, 'SIGTERM');
  if (await waitUntil(checkExit, TERMINATE_TIMEOUT_MS)) return true;
  send(pid, 'SIGKILL');
  return (await waitUntil(checkExit, KILL_TIMEOUT_MS)) ?? false;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or may not be signalled: isGone distinguishes the two.
  }
}
