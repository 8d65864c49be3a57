// One subscription for the replies to all requests of a connection, distinguished by the last token. A subscription per
// request, as in the client's own requests with several replies, costs a third more under load, for the server and for
// us.
import { randomFillSync } from 'node:crypto';
import { MillraceError, isToken, toLoggedError } from '@millrace/contracts';
import type { Msg } from 'nats';
import { subscribe, type BusLink } from './subscribe.ts';

/** 96 bits, as 16 characters of base64url. */
const TOKEN_BYTES = 12;
const TOKEN_CHARACTERS = 16;
const TOKENS_PER_POOL = 256;

/**
 * Returns a function that returns a new token with each call. A token is random, so that a process that serves one
 * request cannot publish a reply to another one. Random bytes are drawn and encoded in pools: one draw for each token
 * costs twenty times more.
 */
export function createReplyTokens(): () => string {
  const bytes = Buffer.alloc(TOKEN_BYTES * TOKENS_PER_POOL);
  let pool = '';
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = randomFillSync(bytes).toString('base64url');
      at = 0;
    }
    const token = pool.slice(at, at + TOKEN_CHARACTERS);
    at += TOKEN_CHARACTERS;
    return token;
  };
}

type WaitingReply = {
  take: (message: Msg) => void;
  /** Subject of the request. */
  asked: string | undefined;
  fail: ((error: MillraceError) => void) | undefined;
};

export type Inbox = {
  /**
   * Opens a reply subject: its messages are passed to `listener` until `release` is called.
   * @param asked subject of the request
   * @param fail called when no message can arrive: the connection is closed (bus-unreachable), or the server refused to
   * publish the request (permission-denied)
   */
  open(
    listener: (message: Msg) => void,
    asked?: string,
    fail?: (error: MillraceError) => void,
  ): { subject: string; release(): void };
  /** Ends the requests of a subject. */
  fail(asked: string, error: MillraceError): void;
  /** Opens further reply subjects under another prefix: the user of the connection has changed. */
  move(prefix: string): void;
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

export function createInbox(link: BusLink, prefix: string): Inbox {
  const listeners = new Map<string, WaitingReply>();
  const nextToken = createReplyTokens();
  const listenUnder = (base: string) =>
    subscribe(link, `${base}.*`, {
      take: (message) => {
        try {
          listeners.get(message.subject.slice(base.length + 1))?.take(message);
        } catch (thrown) {
          // Rethrown, the error would end the connection's read loop, and with it all other requests.
          link.log.error(toLoggedError(thrown), 'reply handler threw');
        }
      },
    });
  let base = createBase(prefix);
  let subscription = listenUnder(base);
  return {
    open(take, asked, fail) {
      const token = nextToken();
      listeners.set(token, { take, asked, fail });
      return { subject: `${base}.${token}`, release: () => listeners.delete(token) };
    },
    fail(asked, error) {
      for (const waiting of listeners.values()) if (waiting.asked === asked) waiting.fail?.(error);
    },
    move(to) {
      subscription.unsubscribe();
      base = createBase(to);
      subscription = listenUnder(base);
    },
    close() {
      subscription.unsubscribe();
      for (const { asked, fail } of listeners.values()) fail?.(createClosedError(asked));
    },
  };
}

const createBase = (prefix: string): string => `${prefix}.${crypto.randomUUID().replaceAll('-', '')}`;

const createClosedError = (subject = 'a request') =>
  new MillraceError('bus-unreachable', `The connection was closed before ${subject} answered.`);
