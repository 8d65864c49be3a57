// The calls under way on this replica, so that one that was given up can be told: its abortSignal fires.
import { asTimeoutMs } from '@millrace/contracts';

export type OpenCall = {
  /** Fires when the call is cancelled or its time is up. */
  signal: AbortSignal;
  /** Nobody wants the answer any more. */
  giveUp(): void;
  /** To be called when the call is over, however it ended. */
  close(): void;
};

export type CallRegistry = {
  open(callId: string, timeoutMs: number): OpenCall;
  cancel(callIds: readonly string[]): void;
};

export function createCallRegistry(): CallRegistry {
  const calls = new Map<string, AbortController>();
  const giveUp = (controller: AbortController | undefined) => controller?.abort(new Error('the call was given up'));
  return {
    open(callId, timeoutMs) {
      const controller = new AbortController();
      const timeUp = () => controller.abort(new Error(`the call took more than ${timeoutMs} ms`));
      const timer = setTimeout(timeUp, asTimeoutMs(timeoutMs));
      calls.set(callId, controller);
      return {
        signal: controller.signal,
        giveUp: () => giveUp(controller),
        close: () => {
          clearTimeout(timer);
          // A call that is asked for again has the id of the first: the one that is over must not take the other's place.
          if (calls.get(callId) === controller) calls.delete(callId);
        },
      };
    },
    cancel(callIds) {
      for (const callId of callIds) giveUp(calls.get(callId));
    },
  };
}
