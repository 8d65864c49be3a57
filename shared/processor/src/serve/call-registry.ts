// Tracks the calls under way on this replica, so that the abortSignal of a cancelled call can fire.
import { MillraceError, asTimeoutMs, type RunRef } from '@millrace/contracts';
import type { StallGate } from '@millrace/bus';

export type OpenCall = {
  /** Fires if the call is cancelled or times out. */
  signal: AbortSignal;
  /** Cancels the call: the answer is no longer needed. */
  giveUp(): void;
  /** Must be called at the end of the call in every case. */
  close(): void;
};

/** Owner of a call: a run in one epoch. */
type CallOwner = Pick<RunRef, 'tenant' | 'runId' | 'epoch'>;

export type CallRegistry = {
  /**
   * @param endpoint the counter of the call
   * @throws replica-busy above the limit; message-invalid for an id of another run's call
   */
  open(callId: string, timeoutMs: number, asker: CallOwner, endpoint?: string): OpenCall;
  /** Returns the number of calls and sessions under way at an endpoint. */
  countDepth(endpoint: string): number;
  maxCalls: number;
  cancel(callIds: readonly string[]): void;
};

/** Default maximum of concurrent stage calls and sessions: above it another replica responds faster. */
export const MAX_CALLS = 10_000;
/** A call takes milliseconds, a session seconds. */
const RETRY_AFTER_MS = 100;

type Calls = { owner: string; controllers: Set<AbortController> };

/** @param replica id in the error for the caller */
export function createCallRegistry(maxCalls: number = MAX_CALLS, replica?: string): CallRegistry {
  const calls = new Map<string, Calls>();
  const depths = new Map<string, number>();
  let open = 0;
  const giveUp = (controller: AbortController) => controller.abort(createCancellation());

  /** A repeated attempt may have the id of the first; another run's call must not share its cancellation. */
  const getCalls = (callId: string, { tenant, runId, epoch }: CallOwner): Calls => {
    const owner = `${tenant}.${runId}.${epoch}`;
    const known = calls.get(callId) ?? { owner, controllers: new Set() };
    if (known.owner === owner) return known;
    throw new MillraceError('message-invalid', `The call id "${callId}" belongs to another run's call.`, {
      path: 'callId',
      remedy: 'Give each call an id of its own, such as a UUID.',
    });
  };

  return {
    maxCalls,
    countDepth: (endpoint) => depths.get(endpoint) ?? 0,
    open(callId, timeoutMs, asker, endpoint = '') {
      if (open >= maxCalls) {
        throw new MillraceError('replica-busy', `This replica has ${open} calls under way and accepts no more.`, {
          path: replica,
          remedy: 'Start another replica of the service, or raise its MAX_CALLS.',
          retryAfterMs: RETRY_AFTER_MS,
        });
      }
      const own = getCalls(callId, asker);
      const controller = new AbortController();
      const timeUp = () => controller.abort(new Error(`the call took more than ${timeoutMs} ms`));
      const timer = setTimeout(timeUp, asTimeoutMs(timeoutMs));
      own.controllers.add(controller);
      calls.set(callId, own);
      open += 1;
      depths.set(endpoint, (depths.get(endpoint) ?? 0) + 1);
      return {
        signal: controller.signal,
        giveUp: () => giveUp(controller),
        close: () => {
          clearTimeout(timer);
          if (!own.controllers.delete(controller)) return;
          open -= 1;
          depths.set(endpoint, (depths.get(endpoint) ?? 1) - 1);
          if (own.controllers.size === 0) calls.delete(callId);
        },
      };
    },
    cancel(callIds) {
      for (const callId of callIds) calls.get(callId)?.controllers.forEach(giveUp);
    },
  };
}

/** Creates the reason of a cancellation. It has no stack, which no caller reads: each session ends with a cancellation. */
function createCancellation(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const cancellation = new Error('the call was cancelled');
  Error.stackTraceLimit = stackTraceLimit;
  return cancellation;
}

/**
 * Delays the start of a call after a stall of the event loop, until the cancels that were sent during the stall are
 * read.
 * @returns undefined if the call may start at once. Otherwise a promise that rejects with `cancelled` if the caller
 * cancelled the call, or it timed out, before it started.
 */
export function waitOutStall(
  gate: Pick<StallGate, 'pass'>,
  { signal }: Pick<OpenCall, 'signal'>,
): Promise<void> | undefined {
  return gate.pass(signal)?.then(() => {
    if (!signal.aborted) return;
    throw new MillraceError('cancelled', 'The caller cancelled the call before this replica started it.');
  });
}
