// Subscribes without answering: what fits goes to the handler, what does not is logged with its subject.
import { loggedError, type MillraceError } from '@millrace/contracts';
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { decode, encodeWithin, tooLarge } from './wire.ts';

export type Listening = { stop(): void };

/**
 * What the handler does is done when it returns: messages come in the order of the subject. A throw is logged.
 * @param refused is told of a message that does not fit, which is logged too
 */
export function listen<T>(
  bus: Bus,
  subject: string,
  schema: z.ZodType<T>,
  handle: (message: T, subject: string, bytes: number) => void,
  refused: (error: MillraceError, subject: string) => void = () => undefined,
): Listening {
  const subscription = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      if (error) return bus.log.error({ subject, error: String(error) }, 'a subscription was refused');
      const decoded = decode(message.data, schema, message.subject);
      if ('error' in decoded) {
        bus.log.warn({ subject: message.subject, error: decoded.error.message }, 'a message was refused');
      }
      try {
        if ('error' in decoded) return refused(decoded.error, message.subject);
        handle(decoded.ok, message.subject, message.data.length);
      } catch (thrown) {
        // Let through, it would end the connection's reading: every other subscription would lose what is under way.
        bus.log.error({ subject: message.subject, ...loggedError(thrown) }, 'a message could not be handled');
      }
    },
  });
  return { stop: () => subscription.unsubscribe() };
}

/** Core publish: at most once. @throws message-too-large */
export function publish(bus: Bus, subject: string, value: unknown): void {
  publishBytes(bus, subject, encodeWithin(value, bus.maxPayload(), subject));
}

/** A connection that is closed for good loses the message as a broken one does: nobody is there who could act on a throw. */
export function publishBytes(bus: Bus, subject: string, bytes: Uint8Array): void {
  if (!bus.nc.isClosed()) bus.nc.publish(subject, bytes);
}

/**
 * Publishes chunks as one message, or as several where one would be over `maxBytes` (UTF-16 length, close enough for a bound far
 * below the server's). `head` makes the rest of a message; `last` is true for the one that ends the batch. The chunks are
 * written as JSON once, whatever the head is.
 */
export function publishInBatches(
  bus: Bus,
  subject: string,
  chunks: readonly unknown[],
  maxBytes: number,
  head: (last: boolean, count: number) => object,
  last = true,
): void {
  const body = JSON.stringify(chunks);
  if (body.length > maxBytes && chunks.length > 1) {
    const half = chunks.length >> 1;
    publishInBatches(bus, subject, chunks.slice(0, half), maxBytes, head, false);
    publishInBatches(bus, subject, chunks.slice(half), maxBytes, head, last);
    return;
  }
  const bytes = Buffer.from(`${JSON.stringify(head(last, chunks.length)).slice(0, -1)},"chunks":${body}}`);
  if (bytes.length > bus.maxPayload()) throw tooLarge(bytes.length, bus.maxPayload(), subject);
  publishBytes(bus, subject, bytes);
}
