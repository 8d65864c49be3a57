// Subscribes without answering: what fits goes to the handler, what does not is logged with its subject.
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { decode, encodeWithin } from './wire.ts';

export type Listening = { stop(): void };

/** The handler must not throw; what it does is done when it returns (messages come in the order of the subject). */
export function listen<T>(
  bus: Bus,
  subject: string,
  schema: z.ZodType<T>,
  handle: (message: T, subject: string) => void,
): Listening {
  const subscription = bus.nc.subscribe(subject, {
    callback: (error, message) => {
      if (error) return bus.log.error({ subject, error: String(error) }, 'a subscription was refused');
      const decoded = decode(message.data, schema, message.subject);
      if ('ok' in decoded) return handle(decoded.ok, message.subject);
      bus.log.warn({ subject: message.subject, error: decoded.error.message }, 'a message was refused');
    },
  });
  return { stop: () => subscription.unsubscribe() };
}

/** Core publish: at most once. @throws message-too-large */
export function publish(bus: Bus, subject: string, value: unknown): void {
  bus.nc.publish(subject, encodeWithin(value, bus.maxPayload(), subject));
}
