// Builds the stops of one call: `abort()`, `halt()` and `suspend()` throw, and record the stop. A recorded stop counts if its error does
// not leave the method: the method caught it, or called the function in a promise that it did not await.
import type { CommonArgs } from '../processor/processor.ts';
import { StopError } from '../processor/stop.ts';

export type StopRecorder = Pick<CommonArgs, 'abort' | 'halt' | 'suspend'> & {
  /** Returns the first stop of the call. */
  readStop: () => StopError | undefined;
};

/** @param onStop called before the error is thrown */
export function createStopRecorder(onStop: (error: StopError) => void = () => undefined): StopRecorder {
  let first: StopError | undefined;
  const stop = (verdict: StopError['verdict']): never => {
    const error = new StopError(verdict);
    first ??= error;
    onStop(error);
    throw error;
  };
  return {
    abort: (reason = 'Stopped by a processor.', options = {}) => stop({ ...options, type: 'abort', reason }),
    halt: (response, reason) => stop({ type: 'halt', response, ...(reason !== undefined && { reason }) }),
    suspend: (payload, options) => stop({ ...options, type: 'suspend', payload }),
    readStop: () => first,
  };
}

/** Returns the error that decides the verdict: a stop that left the method, a recorded stop, or the error itself. */
export function chooseStop(error: unknown, recorded: StopError | undefined): unknown {
  return StopError.isInstance(error) ? error : (recorded ?? error);
}
