// Runs something synchronous for a bounded time and interrupts it then, loops and regular expressions included. For work whose cost
// others decide. The rest of the process stands still meanwhile: keep the bound small.
import { Script, createContext } from 'node:vm';

const script = new Script('run()');
/** What the script sees: one context for all, since making one costs more than most checks. */
const sandbox = { run: () => {} };
const context = createContext(sandbox);
const TIMEOUT_CODE = 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Not within itself. Undefined when the time was up; what it was doing may be half done. @throws what `run` throws */
export function withinTime<T>(timeoutMs: number, run: () => T): { value: T } | undefined {
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
