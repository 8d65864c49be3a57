// Runs something synchronous for a bounded time and interrupts it then, loops and regular expressions included. For work whose cost
// others decide. The rest of the process stands still meanwhile: keep the bound small. The clock of the interruption goes on while a busy
// machine does not let this process run: what has not had its time of the processor is tried again.
import { Script, createContext } from 'node:vm';

const script = new Script('run()');
/** What the script sees: one context for all, since making one costs more than most checks. */
const sandbox = { run: () => {} };
const context = createContext(sandbox);
const TIMEOUT_CODE = 'ERR_SCRIPT_EXECUTION_TIMEOUT';
/** How often something is tried that the machine did not let run. */
const MAX_TRIES = 5;
/** With less than this share of its time it has not had it. */
const FAIR_SHARE = 0.7;

/** Processor time of this thread so far, ms: what the collector and the compiler use beside it is not the work's. */
export function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/**
 * Not within itself. Undefined when the time was up; what it was doing may be half done. What can be tried again, as `run` must be, is
 * tried again where it has not had its time. @throws what `run` throws
 */
export function withinTime<T>(timeoutMs: number, run: () => T, used: () => number = usedMs): { value: T } | undefined {
  for (let tries = 1; ; tries += 1) {
    const before = used();
    const done = runOnce(timeoutMs, run);
    if (done || tries === MAX_TRIES || used() - before >= timeoutMs * FAIR_SHARE) return done;
  }
}

function runOnce<T>(timeoutMs: number, run: () => T): { value: T } | undefined {
  let value: { value: T } | undefined;
  sandbox.run = () => void (value = { value: run() });
  try {
    script.runInContext(context, { timeout: timeoutMs });
    return value;
  } catch (error) {
    // It is an error of the context's own realm.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === TIMEOUT_CODE) return undefined;
    throw error;
  }
}
