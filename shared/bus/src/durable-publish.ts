// An acknowledged publish: tried again, with its msgID, while the stream has no leader or the connection is down. The msgID
// makes the second try harmless, so nothing is lost and nothing doubled.
import { MillraceError } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from './jetstream-access.ts';
import { SUBJECT_IS_FULL, isCode } from './jetstream-errors.ts';
import { encodeWithin } from './wire.ts';

const ACK_TIMEOUT_MS = 2_000;
const RETRY_WAIT_MS = 100;
/** Losing the leader of a replicated stream stops its publishes for 5 to 7 s; a server that is restarted is back sooner. */
const GIVE_UP_AFTER_MS = 15_000;

export type DurableOptions = {
  /** Ends the trying. */
  signal?: AbortSignal;
  /** One try: an outage that was waited out already is not waited out again. */
  once?: boolean;
  /** A full subject or stream is refused at once; absent: it is tried again, since room is made. */
  isQueue?: boolean;
  /** The stream forgets it after so long, s; where it takes such. Absent: after its own age. */
  ttlSeconds?: number;
};
/** `duplicate`: a message of that msgID is stored already, under that sequence. */
export type Stored = { sequence: number; duplicate: boolean };

/** @throws bus-unreachable after `GIVE_UP_AFTER_MS`; message-too-large and queue-full at once */
export async function publishDurably(
  access: JetStreamAccess,
  subject: string,
  value: unknown,
  msgID: string,
  options?: DurableOptions,
): Promise<Stored> {
  return publishBytesDurably(access, subject, encodeWithin(value, access.bus.maxPayload(), subject), msgID, options);
}

/** The same for what is written already, and known to be within the server's limit. @throws bus-unreachable, queue-full */
export async function publishBytesDurably(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  msgID: string,
  { signal, once = false, isQueue = false, ttlSeconds }: DurableOptions = {},
): Promise<Stored> {
  const giveUpAt = once ? 0 : performance.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      const acked = await access.js.publish(subject, payload, {
        msgID,
        timeout: ACK_TIMEOUT_MS,
        retries: 0,
        ...(ttlSeconds !== undefined && { ttl: `${ttlSeconds}s` }),
      });
      return { sequence: acked.seq, duplicate: acked.duplicate };
    } catch (cause) {
      if (isQueue && isCode(cause, SUBJECT_IS_FULL)) throw full(subject, cause);
      if (performance.now() > giveUpAt || access.bus.nc.isClosed() || signal?.aborted) {
        throw new MillraceError('bus-unreachable', `${subject} was not stored: ${String(cause)}`, {
          cause,
          path: subject,
          remedy: 'Try again when NATS is back.',
        });
      }
      access.bus.log.warn({ subject, error: String(cause) }, 'a stored publish is tried again');
      await delay(RETRY_WAIT_MS);
    }
  }
}

/** Runs take seconds: some of what waits is done by then. */
const FULL_RETRY_AFTER_MS = 2_000;

function full(subject: string, cause: unknown): MillraceError {
  return new MillraceError('queue-full', `${subject} has no room for another message.`, {
    cause,
    path: subject,
    remedy: 'Try again when some of what waits has been done, or start more orchestrators.',
    retryAfterMs: FULL_RETRY_AFTER_MS,
  });
}
