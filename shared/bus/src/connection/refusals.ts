// Remembers which permissions of a connection the server has refused, so that health and errors can name them. Pure:
// the caller passes the time.
import { MillraceError } from '@millrace/contracts';

export type Operation = 'publish' | 'subscribe';
type RefusedOperation = {
  operation: Operation;
  subject: string;
  /** The component opens the subscription again after a reconnect; otherwise it is lost until the process restarts. */
  isReopened?: boolean;
};

export type Refusals = {
  /** Returns true for a permission that is not remembered yet. @param now ms of a clock that never jumps */
  add(refused: RefusedOperation, now: number): boolean;
  /** Forgets what the server evaluates again on a new connection. */
  forgetConnection(): void;
  /** Returns whether the server has refused the operation. */
  has(operation: Operation, subject: string): boolean;
  /** Returns the missing permissions as one sentence. */
  find(now: number): string | undefined;
};

/** Further ones are not remembered. */
export const MAX_REFUSALS = 32;
/** A refused reply may be a single late one: it counts for this time, ms. */
export const REPLY_REFUSED_MS = 60_000;
const MAX_SUBJECT_LENGTH = 200;

type RememberedRefusal = { permission: string; until: number; isReopened: boolean };

export function createRefusals(): Refusals {
  const remembered = new Map<string, RememberedRefusal>();
  let isFull = false;
  return {
    add({ operation, subject, isReopened = operation === 'publish' }, now) {
      const permission = describePermission(operation, subject);
      const isReply = isReplyRefused(operation, subject);
      // A reply subject is new with each request: all of them are one permission.
      const key = isReply ? 'replies' : permission;
      const until = isReply ? now + REPLY_REFUSED_MS : Infinity;
      const known = remembered.get(key);
      if (known) {
        known.until = until;
        return false;
      }
      const isFirstOver = remembered.size >= MAX_REFUSALS && !isFull;
      isFull = remembered.size >= MAX_REFUSALS;
      if (isFull) return isFirstOver;
      remembered.set(key, { permission, until, isReopened });
      return true;
    },
    forgetConnection() {
      isFull = false;
      for (const [key, { isReopened }] of remembered) if (isReopened) remembered.delete(key);
    },
    has: (operation, subject) => remembered.has(describePermission(operation, subject)),
    find(now) {
      for (const [key, { until }] of remembered) if (until <= now) remembered.delete(key);
      const [first] = remembered.values();
      if (!first) return undefined;
      const more = remembered.size - 1;
      const rest = more === 0 ? '' : ` (and ${isFull ? 'at least ' : ''}${more} more)`;
      return `NATS refuses a permission: ${first.permission}${rest}`;
    },
  };
}

const REPLY = /^(?:_INBOX|_R_|_GR_)\./;

/** Returns whether the refused operation is the publication of a reply. */
export const isReplyRefused = (operation: Operation, subject: string): boolean =>
  operation === 'publish' && REPLY.test(subject);

function describePermission(operation: Operation, subject: string): string {
  const shown = subject.length > MAX_SUBJECT_LENGTH ? `${subject.slice(0, MAX_SUBJECT_LENGTH)}…` : subject;
  return operation === 'publish' ? `publish on ${shown}` : `subscribe to ${shown}`;
}

export function createPermissionError(operation: Operation, subject: string): MillraceError {
  const permission = describePermission(operation, subject);
  return new MillraceError('permission-denied', `The NATS user has no permission to ${permission}.`, {
    path: subject,
    remedy: describeRemedy(operation, subject),
  });
}

function describeRemedy(operation: Operation, subject: string): string {
  if (isReplyRefused(operation, subject)) {
    return 'Set allow_responses for the user in the configuration of NATS, long enough for its slowest answer.';
  }
  return `Add the subject to permissions.${operation} of the user in the configuration of NATS, or connect as another user.`;
}
