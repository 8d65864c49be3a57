// Subscribes without replying: valid messages are passed to the handler, invalid ones are logged with their subject.
import { toLoggedError, type MillraceError } from '@millrace/contracts';
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { subscribe } from '../connection/subscribe.ts';
import { decode } from './wire.ts';

export type Listening = {
  stop(): void;
  /** Returns `permission-denied` while the server refuses the subscription: its answer arrives before that of a flush. */
  findRefusal(): MillraceError | undefined;
};

/**
 * The handler runs synchronously, in the order of the subject. Its errors are logged.
 * @param onRefused called with invalid messages, which are logged too
 */
export function listen<T>(
  bus: Bus,
  subject: string,
  schema: z.ZodType<T>,
  handle: (message: T, subject: string, bytes: number) => void,
  onRefused: (error: MillraceError, subject: string) => void = () => undefined,
): Listening {
  const { unsubscribe, findRefusal } = subscribe(bus, subject, {
    take: (message) => {
      const decoded = decode(message.data, schema, message.subject);
      if ('error' in decoded) {
        bus.log.warn({ subject: message.subject, error: decoded.error.message }, 'invalid message rejected');
      }
      try {
        if ('error' in decoded) return onRefused(decoded.error, message.subject);
        handle(decoded.ok, message.subject, message.data.length);
      } catch (thrown) {
        // Rethrown, the error would end the connection's read loop: every other subscription would lose its pending
        // messages.
        bus.log.error({ subject: message.subject, ...toLoggedError(thrown) }, 'message handler threw');
      }
    },
  });
  return { stop: unsubscribe, findRefusal };
}
