// The calls under way on this replica, so that one that was given up can be told: its abortSignal fires.
import { MillraceError, asTimeoutMs, type RunRef } from '@millrace/contracts';

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
  /** @throws replica-busy above MAX_CALLS; message-invalid for an id that another run's call has */
  open(callId: string, timeoutMs: number, asker: Asker): OpenCall;
  cancel(callIds: readonly string[]): void;
};

/** Stage calls and stream sessions at once: above it another replica is the better choice. */
const MAX_CALLS = 10_000;

type Calls = { owner: string; controllers: Set<AbortController> };

export function createCallRegistry(maxCalls = MAX_CALLS): CallRegistry {
  const calls = new Map<string, Calls>();
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
    open(callId, timeoutMs, asker) {
      if (open >= maxCalls) {
        throw new MillraceError('replica-busy', `This replica has ${open} calls under way and takes no more.`, {
          remedy: 'Start another replica of the service.',
        });
      }
      const own = callsOf(callId, asker);
      const controller = new AbortController();
      const timeUp = () => controller.abort(new Error(`the call took more than ${timeoutMs} ms`));
      const timer = setTimeout(timeUp, asTimeoutMs(timeoutMs));
      own.controllers.add(controller);
      calls.set(callId, own);
      open += 1;
      return {
        signal: controller.signal,
        giveUp: () => giveUp(controller),
        close: () => {
          clearTimeout(timer);
          if (!own.controllers.delete(controller)) return;
          open -= 1;
          if (own.controllers.size === 0) calls.delete(callId);
        },
      };
    },
    cancel(callIds) {
      for (const callId of callIds) calls.get(callId)?.controllers.forEach(giveUp);
    },
  };
}
