// The log of dev-model: JSON lines in pino's form, from the level of LOG_LEVEL on.
import type { DevModelLog } from './api/serve-model-call.ts';

const LEVELS = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['error', 50],
  ['silent', Infinity],
]);

/** @param level of LOG_LEVEL; absent or empty: info. @throws RangeError for any other level than those of the services */
export function createLog(level: string | undefined, write: (line: string) => void): DevModelLog {
  const least = LEVELS.get(level || 'info');
  if (least === undefined)
    throw new RangeError(`LOG_LEVEL is "${level}": set it to one of ${[...LEVELS.keys()].join(', ')}.`);
  const writeAt = (at: number) => (fields: object, message: string) => {
    if (at < least) return;
    write(JSON.stringify({ level: at, time: Date.now(), service: 'dev-model', ...fields, msg: message }));
  };
  return { info: writeAt(30), warn: writeAt(40), error: writeAt(50) };
}
