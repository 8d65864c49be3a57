// The calls under way on this replica, so that one that was given up can be told: its abortSignal fires.
import { MillraceError, asTimeoutMs, type RunRef } from '@millrace/contracts';
import type { StallGate } from '@millrace/bus';

export type OpenCall = {
  /** Fires when the call is cancelled or its time is up. */
  signal: AbortSignal;
  /** Nobody wants the answer any more. */
  giveUp(): void;
  /** To be called when the call is over, however it ended. */
  close(): void;
};

/** Who asks: a run under one owner. */
type Asker = Pick<RunRef, 'tenant' | 'runId' | 'epoch'>;

export type CallRegistry = {
  /**
   * @param endpoint counted by it
   * @throws replica-busy above the limit; message-invalid for an id that another run's call has
   */
  open(callId: string, timeoutMs: number, asker: Asker, endpoint?: string): OpenCall;
  /** How many are under way, sessions among them: of an endpoint. */
  depth(endpoint: string): number;
  maxCalls: number;
  cancel(callIds: readonly string[]): void;
};

/** Stage calls and stream sessions at once, unless the configuration says otherwise: above it another replica is the better choice. */
export const MAX_CALLS = 10_000;
/** A call is over in milliseconds, a session in seconds. */
const RETRY_AFTER_MS = 100;

type Calls = { owner: string; controllers: Set<AbortController> };

/** @param replica who is full, for whoever asks */
export function createCallRegistry(maxCalls: number = MAX_CALLS, replica?: string): CallRegistry {
  const calls = new Map<string, Calls>();
  const depths = new Map<string, number>();
  let open = 0;
  const giveUp = (controller: AbortController) => controller.abort(new Error('the call was given up'));

  /** An attempt that is repeated may have the id of the first; another run's call must not share its cancellation. */
  const callsOf = (callId: string, { tenant, runId, epoch }: Asker): Calls => {
    const owner = `${tenant}.${runId}.${epoch}`;
    const known = calls.get(callId) ?? { owner, controllers: new Set() };
    if (known.owner === owner) return known;
    throw new MillraceError('message-invalid', `The call id "${callId}" is that of another run's call.`, {
      path: 'callId',
      remedy: 'Give each call an id of its own, such as a UUID.',
    });
  };

  return {
    maxCalls,
    depth: (endpoint) => depths.get(endpoint) ?? 0,
    open(callId, timeoutMs, asker, endpoint = '') {
      if (open >= maxCalls) {
        throw new MillraceError('replica-busy', `This replica has ${open} calls under way and takes no more.`, {
          path: replica,
          remedy: 'Start another replica of the service, or raise its MAX_CALLS.',
          retryAfterMs: RETRY_AFTER_MS,
        });
      }
      const own = callsOf(callId, asker);
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

/**
 * Delays the start of a call after a stall of the event loop, until the cancels that were sent during the stall are read.
 *
 * @returns undefined if the call may start at once. Otherwise a promise that rejects with `cancelled` if the caller gave the call up, or
 * its time ran out, before it started.
 */
export function waitOutStall(
  gate: Pick<StallGate, 'pass'>,
  { signal }: Pick<OpenCall, 'signal'>,
): Promise<void> | undefined {
  return gate.pass(signal)?.then(() => {
    if (!signal.aborted) return;
    throw new MillraceError('cancelled', 'The caller gave the call up before this replica started it.');
  });
}
