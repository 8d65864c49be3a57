// Polls a condition without an event: a port that answers, a server that is ready, a file that appears, a process that has
// ended.
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 20;

/** Polls until `check` gives a value, and answers it; undefined when `timeoutMs` have passed. `check` may throw to give up at once. */
export async function waitUntil<T>(
  check: () => Promise<T | undefined> | T | undefined,
  timeoutMs: number,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() >= deadline) return undefined;
    await sleep(POLL_INTERVAL_MS);
  }
}

const HEALTH_TIMEOUT_MS = 1_000;

/** Whether the address answers with a status of 200 to 299. */
export async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
