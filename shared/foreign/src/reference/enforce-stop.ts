// Enforces a requested stop for any later result or error of the method: a guard that catches its own abort and returns
// the text has blocked nevertheless. The same applies to a rejected access. A TripWire that the method throws is an
// abort.
import { asJson, type AbortOptions, type CommonArgs } from '@millrace/processor';

type ForeignAbort = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never;

export type HeldStop = {
  abort: ForeignAbort;
  /** Stores the error as the outcome of the call, and throws it. */
  refuse(error: Error): never;
  /** Returns the method's result. @throws the stored error, an abort for a TripWire, or the method's error */
  settle(callMethod: () => unknown): Promise<unknown>;
};

export type StopReport = (reason: string, metadata: unknown) => Promise<void>;

/** @param report called with a stop before it is rethrown */
export function createHeldStop(common: Pick<CommonArgs, 'abort'>, processor: string, report: StopReport): HeldStop {
  let held: { error: unknown; reason?: string; metadata?: unknown } | undefined;
  const stop = (reason: string, options: { retry?: unknown; metadata?: unknown }): never => {
    try {
      return common.abort(reason, abortOptions(options));
    } catch (error) {
      held ??= { error, reason, metadata: options.metadata };
      throw error;
    }
  };
  const throwHeld = async () => {
    if (!held) return;
    const { error, reason, metadata } = held;
    if (reason !== undefined) await report(reason, metadata);
    throw error;
  };
  return {
    abort: (reason, options) => stop(reason || `Tripwire triggered by ${processor}`, options ?? {}),
    refuse(error) {
      held ??= { error };
      throw error;
    },
    async settle(method) {
      try {
        const result = await method();
        await throwHeld();
        return result;
      } catch (error) {
        await throwHeld();
        const tripWire = findTripWire(error);
        if (!tripWire) throw error;
        await report(tripWire.reason, tripWire.options.metadata);
        return stop(tripWire.reason, tripWire.options);
      }
    },
  };
}

function abortOptions({ retry, metadata }: { retry?: unknown; metadata?: unknown }): AbortOptions {
  return { ...(retry === true && { retry }), ...(metadata !== undefined && { metadata: asJson(metadata) }) };
}

type ForeignTripWire = { reason: string; options: { retry?: unknown; metadata?: unknown } };

/** By its members: every copy of the reference has a class of its own, and no name in common. */
function findTripWire(error: unknown): ForeignTripWire | undefined {
  if (!(error instanceof Error) || !Object.hasOwn(error, 'options') || !Object.hasOwn(error, 'processorId')) {
    return undefined;
  }
  const options: unknown = Reflect.get(error, 'options');
  return typeof options === 'object' && options !== null ? { reason: error.message, options } : undefined;
}
