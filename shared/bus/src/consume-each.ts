// Pulls the messages of a durable consumer until the signal fires. A failure is logged, and the pull is tried again.
import { loggedError } from '@millrace/contracts';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from './jetstream-access.ts';

/** A pull that the server forgot in a restart is noticed no later than this. */
const PULL_EXPIRES_MS = 5_000;
const RETRY_WAIT_MS = 500;

export type Consumed = {
  stream: string;
  durable: string;
  /** For the log: what could not be done. */
  trouble: string;
  /** Resolves with the number of messages that the next pull asks for, 1 or more; absent: 1. */
  room?: () => Promise<number>;
};

/** @param handle is called with one message after the other; an error that it throws is logged, and that message is delivered again */
export async function consumeEach(
  { bus, js }: JetStreamAccess,
  { stream, durable, trouble, room }: Consumed,
  handle: (message: JsMsg) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let consumer: Consumer | undefined;
  const failed = async (error: unknown) => {
    if (signal.aborted) return;
    bus.log.warn(loggedError(error), `${trouble}; trying again`);
    await delay(RETRY_WAIT_MS, undefined, { signal }).catch(() => undefined);
  };
  while (!signal.aborted) {
    try {
      const count = (await room?.()) ?? 1;
      if (signal.aborted) return;
      consumer ??= await js.consumers.get(stream, durable);
      await pull(consumer, count, (message) => handle(message).catch(failed), signal);
    } catch (error) {
      consumer = undefined;
      await failed(error);
    }
  }
}

/** Hands each message over as it arrives. When the signal fires it takes the pull back and requeues the messages that were on their way. */
async function pull(
  consumer: Consumer,
  count: number,
  handle: (message: JsMsg) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const messages = await consumer.fetch({ max_messages: count, expires: PULL_EXPIRES_MS });
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
