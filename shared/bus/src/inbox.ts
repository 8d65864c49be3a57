// One subscription for the replies to all requests of a connection, distinguished by the last token. A subscription per
// request, as in the client's own requests with several replies, costs a third more under load, for the server and for
// us.
import { MillraceError, isToken, loggedError } from '@millrace/contracts';
import type { Msg, NatsConnection } from 'nats';
import type { BusLog } from './bus-log.ts';
import { createReplyTokens } from './reply-tokens.ts';

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
const MAX_PREFIX_LENGTH = 200;

/**
 * Replies are sent to inboxes only: a caller that names another subject would publish there with our permissions. If an
 * account imports a service, its server replaces the inbox of a request by a subject under `_R_` or `_GR_`.
 */
export function isInbox(subject: string): boolean {
  return subject.length <= MAX_INBOX_LENGTH && /^(?:_INBOX|_R_|_GR_)(?:\.[^\s.*>]+)+$/.test(subject);
}

/** Returns the prefix of a user's inboxes: permissions can restrict each user to its own. @param user a token */
export const buildInboxPrefix = (user: string): string => `_INBOX.${user}`;

/** @throws config-invalid with the path NATS_INBOX_PREFIX, unless the prefix is `_INBOX` and further tokens */
export function checkInboxPrefix(prefix: string): string {
  const [first, ...rest] = prefix.split('.');
  if (first === '_INBOX' && rest.length > 0 && rest.every(isToken) && prefix.length <= MAX_PREFIX_LENGTH) return prefix;
  throw new MillraceError('config-invalid', `"${prefix.slice(0, MAX_PREFIX_LENGTH)}" is not a prefix of inboxes.`, {
    path: 'NATS_INBOX_PREFIX',
    remedy: `Use _INBOX and one or more tokens, such as _INBOX.orchestrator: at most ${MAX_PREFIX_LENGTH} characters.`,
  });
}

export function createInbox(nc: NatsConnection, prefix: string, log: BusLog): Inbox {
  const base = `${prefix}.${crypto.randomUUID().replaceAll('-', '')}`;
  const listeners = new Map<string, { take: (message: Msg) => void; closed?: (() => void) | undefined }>();
  const nextToken = createReplyTokens();
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
      const token = nextToken();
      listeners.set(token, { take, closed });
      return { subject: `${base}.${token}`, release: () => listeners.delete(token) };
    },
    close() {
      subscription.unsubscribe();
      for (const { closed } of listeners.values()) closed?.();
    },
  };
}
