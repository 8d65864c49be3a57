// V8's memory reducer collects the whole heap of a process 8 s after a major collection if little is allocated, and returns memory to the
// system. V8 then discards the machine code of functions that refer to shapes without live objects (those of an ended stream, for
// example), and compiles these functions again under the next load.
import { setFlagsFromString } from 'node:v8';

const DELAY_MS = 24 * 60 * 60 * 1_000;

/** Delays V8's memory reducer in this process to a day after a major collection: an idle process keeps its heap and its machine code. */
export function deferMemoryReducer(): void {
  // V8 reads this flag at each major collection, --no-memory-reducer only before any script runs. --memory-reducer-gc-count=0 also
  // disables the reducer, but adds 40 % to the orchestrator's processor time in bursts.
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${DELAY_MS}`);
}
