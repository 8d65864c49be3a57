// The messages of a durable consumer, pulled one after the other until the signal fires. What goes wrong is logged and tried again.
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
};

/** @param handle the next message is pulled when it resolves; what it throws is logged, and that message comes again */
export async function consumeEach(
  { bus, js }: JetStreamAccess,
  { stream, durable, trouble }: Consumed,
  handle: (message: JsMsg) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let consumer: Consumer | undefined;
  while (!signal.aborted) {
    try {
      consumer ??= await js.consumers.get(stream, durable);
      const message = await pull(consumer, signal);
      if (message) await handle(message);
    } catch (error) {
      if (signal.aborted) return;
      consumer = undefined;
      bus.log.warn(loggedError(error), `${trouble}; trying again`);
      await delay(RETRY_WAIT_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A pull that is given up is taken back, and what was on its way is handed back: others get it at once. */
async function pull(consumer: Consumer, signal: AbortSignal): Promise<JsMsg | undefined> {
  const messages = await consumer.fetch({ max_messages: 1, expires: PULL_EXPIRES_MS });
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const message of messages) {
      if (!signal.aborted) return message;
      message.nak();
    }
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
