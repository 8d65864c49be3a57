// Runs synchronous work for a bounded time and interrupts it then, including loops and regular expressions. For work
// with a cost that foreign input decides. The event loop is blocked during the work: keep the bound small. The interruption
// counts wall time, also while a busy machine does not run this process: work that has not had its processor time is
// retried.
import { Script, createContext } from 'node:vm';

const script = new Script('run()');
/** One context for all scripts, because its creation costs more than most checks. */
const sandbox = { run: () => {} };
const context = createContext(sandbox);
const TIMEOUT_CODE = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
/** Maximum number of retries of work that the machine did not run. */
const MAX_TRIES = 5;
/** Below this share of its time, the work has not had it. */
const FAIR_SHARE = 0.7;

/** Processor time of this thread so far, ms: that of the collector and the compiler does not count. */
export function readUsedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Not reentrant. Returns undefined if the time was up; the work may be half done. `run` must be repeatable: it is
 * retried if it has not had its time. @throws as `run`
 */
export function runWithinTime<T>(
  timeoutMs: number,
  run: () => T,
  readUsed: () => number = readUsedMs,
): { value: T } | undefined {
  for (let tries = 1; ; tries += 1) {
    const before = readUsed();
    const done = runOnce(timeoutMs, run);
    if (done || tries === MAX_TRIES || readUsed() - before >= timeoutMs * FAIR_SHARE) return done;
  }
}

function runOnce<T>(timeoutMs: number, run: () => T): { value: T } | undefined {
  let value: { value: T } | undefined;
  sandbox.run = () => void (value = { value: run() });
  try {
    script.runInContext(context, { timeout: timeoutMs });
    return value;
  } catch (error) {
    // The error belongs to the context's own realm.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TIMEOUT_CODE) return undefined;
    throw error;
  }
}
