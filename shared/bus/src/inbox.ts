// One subscription for the replies to all requests of a connection, told apart by the last token. A subscription per request,
// as the client's own requests with several answers have it, costs the server and us a third more under load.
import { loggedError } from '@millrace/contracts';
import type { Msg, NatsConnection } from 'nats';
import type { BusLog } from './bus-log.ts';

export type Inbox = {
  /** A reply subject whose messages go to `listener` until `release` is called; `closed`: none comes any more. */
  open(listener: (message: Msg) => void, closed?: () => void): { subject: string; release(): void };
  /** Whoever waits for an answer is told. */
  close(): void;
};

/** A longer control line would cut our own connection. */
const MAX_INBOX_LENGTH = 512;

/** Answers only go under an inbox: an asker that names another subject would make us publish there with our rights. */
export function isInbox(subject: string): boolean {
  return subject.length <= MAX_INBOX_LENGTH && /^_INBOX[A-Za-z0-9_-]*(\.[^\s.*>]+)+$/.test(subject);
}

export function createInbox(nc: NatsConnection, prefix: string, log: BusLog): Inbox {
  const base = `${prefix}.${crypto.randomUUID().replaceAll('-', '')}`;
  const listeners = new Map<string, { take: (message: Msg) => void; closed?: (() => void) | undefined }>();
  let next = 0;
  const subscription = nc.subscribe(`${base}.*`, {
    callback: (error, message) => {
      if (error) return log.error({ error: String(error) }, 'the inbox was refused');
      try {
        listeners.get(message.subject.slice(base.length + 1))?.take(message);
      } catch (thrown) {
        // Let through, it would end the connection's reading, and with it all other requests.
        log.error(loggedError(thrown), 'an answer could not be handled');
      }
    },
  });
  return {
    open(take, closed) {
      const token = (next++).toString(36);
      listeners.set(token, { take, closed });
      return { subject: `${base}.${token}`, release: () => listeners.delete(token) };
    },
    close() {
      subscription.unsubscribe();
      for (const { closed } of listeners.values()) closed?.();
    },
  };
}
