// Subscribes without answering: what fits goes to the handler, what does not is logged with its subject.
import { loggedError, type MillraceError } from '@millrace/contracts';
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { decode } from './wire.ts';

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
