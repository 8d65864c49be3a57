// Context of a run for processors of other interfaces, in addition to its messages.
import type { JsonObject, JsonValue, RunRef } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';

export type PlainContext = {
  run: RunRef;
  stepNumber: number;
  /** The caller's context, by key. */
  get(key: string): JsonValue | undefined;
  /** Of this processor and this run; JSON. */
  state: JsonObject;
  /** Fires when the call is cancelled. */
  signal: AbortSignal;
  /** Answer to this processor's suspension. */
  resumeData?: JsonValue | undefined;
  metrics: { incr(name: string, by?: number): void };
};

export type Metrics = PlainContext['metrics'];
/** Used if no receiver for metrics is configured. */
const NOWHERE: Metrics = { incr: () => undefined };

export function toPlainContext(args: CommonArgs, metrics: Metrics = NOWHERE): PlainContext {
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
