// Answers requests of the NATS server itself: bytes in, bytes out. The server waits for its answer on a subject that no
// client can use as an inbox.
import { toLoggedError } from '@millrace/contracts';
import type { Msg } from 'nats';
import type { Bus } from '../core/bus.ts';
import { subscribe } from '../connection/subscribe.ts';
import { waitAtMost } from '../core/within.ts';

export type ServerRequest = { data: Uint8Array; getHeader(name: string): string };

export type ServerRequestOptions = {
  subject: string;
  queue: string;
  /** Maximum number of concurrent requests; the server gives up on the others. */
  maxInFlight: number;
  /** Returns the answer; undefined: none. Its errors are logged. */
  handle: (request: ServerRequest) => Promise<Uint8Array | undefined>;
};

const isServerInbox = (subject: string): boolean => subject.startsWith('$SYS._INBOX.');

export function answerServer(bus: Bus, options: ServerRequestOptions): { drain(graceMs: number): Promise<void> } {
  const { subject, queue, maxInFlight, handle } = options;
  const inFlight = new Set<Promise<void>>();
  const answer = async (message: Msg) => {
    try {
      const { data, headers } = message;
      const bytes = await handle({ data, getHeader: (name) => headers?.get(name) ?? '' });
      if (bytes && !bus.nc.isClosed()) message.respond(bytes);
    } catch (error) {
      bus.log.error({ subject, ...toLoggedError(error) }, 'a request of the NATS server failed');
    }
  };
  const subscription = subscribe(bus, subject, {
    queue,
    take: (message) => {
      if (!message.reply || !isServerInbox(message.reply)) {
        return bus.log.warn({ subject }, 'a request without the reply subject of a NATS server is ignored');
      }
      if (inFlight.size >= maxInFlight) return bus.log.warn({ subject, maxInFlight }, 'too many requests of NATS');
      const work = answer(message).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
  });
  return {
    async drain(graceMs) {
      if (!subscription.isClosed()) await waitAtMost(subscription.drain(), graceMs);
      await waitAtMost(Promise.all(inFlight), graceMs);
    },
  };
}
