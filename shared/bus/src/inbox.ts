// One subscription for the replies to all requests of a connection, distinguished by the last token. A subscription per
// request, as in the client's own requests with several replies, costs a third more under load, for the server and for
// us.
import { loggedError } from '@millrace/contracts';
import type { Msg, NatsConnection } from 'nats';
import type { BusLog } from './bus-log.ts';

export type Inbox = {
  /**
   * Opens a reply subject: its messages are passed to `listener` until `release` is called; `closed` is called when no
   * more can arrive.
   */
  open(listener: (message: Msg) => void, closed?: () => void): { subject: string; release(): void };
  /** Notifies all waiting requests. */
  close(): void;
};

/** A longer control line would close our own connection. */
const MAX_INBOX_LENGTH = 512;

/** Replies are sent to inboxes only: a caller that names another subject would publish there with our permissions. */
export function isInbox(subject: string): boolean {
  return subject.length <= MAX_INBOX_LENGTH && /^_INBOX[A-Za-z0-9_-]*(\.[^\s.*>]+)+$/.test(subject);
}

export function createInbox(nc: NatsConnection, prefix: string, log: BusLog): Inbox {
  const base = `${prefix}.${crypto.randomUUID().replaceAll('-', '')}`;
  const listeners = new Map<string, { take: (message: Msg) => void; closed?: (() => void) | undefined }>();
  let next = 0;
  const subscription = nc.subscribe(`${base}.*`, {
    callback: (error, message) => {
      if (error) return log.error({ error: String(error) }, 'inbox subscription rejected');
      try {
        listeners.get(message.subject.slice(base.length + 1))?.take(message);
      } catch (thrown) {
        // Rethrown, the error would end the connection's read loop, and with it all other requests.
        log.error(loggedError(thrown), 'reply handler threw');
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
