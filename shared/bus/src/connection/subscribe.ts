// Subscribes to a subject and opens the subscription again after a reconnect, if the server has refused it: the client
// forgets a refused subscription, and the user's permissions may have changed.
import type { MillraceError } from '@millrace/contracts';
import type { Msg, NatsConnection, Subscription } from 'nats';
import type { BusLog } from './bus-log.ts';
import { createPermissionError, type Refusals } from './refusals.ts';

/** The part of a bus that a subscription needs. */
export type BusLink = {
  nc: NatsConnection;
  log: BusLog;
  refusals: Refusals;
  onReconnect(listener: () => void): () => void;
};

export type BusSubscription = {
  unsubscribe(): void;
  drain(): Promise<void>;
  isClosed(): boolean;
  /** Returns `permission-denied` while the server refuses the subscription. */
  findRefusal(): MillraceError | undefined;
};

/** @param options `take` receives messages; an error that it throws ends the connection's read loop */
export function subscribe(
  link: BusLink,
  subject: string,
  { queue, take }: { queue?: string | undefined; take: (message: Msg) => void },
): BusSubscription {
  let refusal: MillraceError | undefined;
  let forget = () => undefined as void;
  const open = (): Subscription =>
    link.nc.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => (error ? refuse(error) : take(message)),
    });
  let subscription = open();
  const refuse = (error: Error) => {
    refusal = createPermissionError('subscribe', subject);
    link.refusals.add({ operation: 'subscribe', subject, isReopened: true }, performance.now());
    const { message, remedy } = refusal;
    link.log.error({ subject, error: String(error), remedy }, message);
    forget();
    forget = link.onReconnect(() => {
      forget();
      refusal = undefined;
      subscription = open();
    });
  };
  return {
    unsubscribe() {
      forget();
      subscription.unsubscribe();
    },
    drain() {
      forget();
      return subscription.drain();
    },
    isClosed: () => subscription.isClosed(),
    findRefusal: () => refusal,
  };
}
