// What processors of other interfaces are told of a run beside its messages.
import type { JsonObject, JsonValue, RunRef } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';

export type PlainContext = {
  run: RunRef;
  stepNumber: number;
  /** What the caller sent along, by key. */
  get(key: string): JsonValue | undefined;
  /** Of this processor and this run; JSON. */
  state: JsonObject;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
  /** What somebody answered to what this processor suspended with. */
  resumeData?: JsonValue | undefined;
  metrics: { incr(name: string, by?: number): void };
};

export type Metrics = PlainContext['metrics'];
/** Where nobody said where they go. */
const NOWHERE: Metrics = { incr: () => undefined };

export function plainContext(args: CommonArgs, metrics: Metrics = NOWHERE): PlainContext {
  const { run, stepNumber, state, abortSignal: signal, resumeData, requestContext } = args;
  return {
    run,
    stepNumber,
    state,
    signal,
    get: (key) => requestContext.get(key),
    metrics,
    ...(resumeData !== undefined && { resumeData }),
  };
}
