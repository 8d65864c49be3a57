// The calls under way on this replica, so that one that was given up can be told: its abortSignal fires.
import type { Release } from '@millrace/service';

export type CallRegistry = {
  /** A signal for the call; it fires when the call is cancelled or its time is up. */
  open(callId: string, timeoutMs: number): { signal: AbortSignal; close: Release };
  cancel(callIds: readonly string[]): void;
};

export function createCallRegistry(): CallRegistry {
  const calls = new Map<string, AbortController>();
  return {
    open(callId, timeoutMs) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(new Error(`the call took more than ${timeoutMs} ms`)), timeoutMs);
      calls.set(callId, controller);
      return {
        signal: controller.signal,
        close: () => {
          clearTimeout(timer);
          calls.delete(callId);
        },
      };
    },
    cancel(callIds) {
      for (const callId of callIds) calls.get(callId)?.abort(new Error('the call was given up'));
    },
  };
}
