// Pulls the messages of a durable consumer until the signal fires. A failure is logged, and the pull is retried.
import { toLoggedError, timings } from '@millrace/contracts';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';

const RETRY_WAIT_MS = 500;

export type ConsumedQueue = {
  stream: string;
  durable: string;
  /** Log message of a failure. */
  trouble: string;
  /** Resolves with the batch size of the next pull, 1 or more. Default: 1. */
  awaitRoom?: () => Promise<number>;
};

/** @param handle called with one message at a time; its error is logged, and the message is redelivered */
export async function consumeEach(
  { bus, js }: JetStreamAccess,
  { stream, durable, trouble, awaitRoom }: ConsumedQueue,
  handle: (message: JsMsg) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let consumer: Consumer | undefined;
  const reportFailure = async (error: unknown) => {
    if (signal.aborted) return;
    bus.log.warn(toLoggedError(error), `${trouble}; trying again`);
    await delay(RETRY_WAIT_MS, undefined, { signal }).catch(() => undefined);
  };
  while (!signal.aborted) {
    try {
      const count = (await awaitRoom?.()) ?? 1;
      if (signal.aborted) return;
      consumer ??= await js.consumers.get(stream, durable);
      await pull(consumer, count, (message) => handle(message).catch(reportFailure), signal);
    } catch (error) {
      consumer = undefined;
      await reportFailure(error);
    }
  }
}

/** Passes each message on arrival. When the signal fires it cancels the pull and requeues the messages in transit. */
async function pull(
  consumer: Consumer,
  count: number,
  handle: (message: JsMsg) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const messages = await consumer.fetch({ max_messages: count, expires: timings.pullMs });
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const message of messages) {
      if (signal.aborted) message.nak();
      else await handle(message);
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
