// Publishes with an ack: retries with the same msgID while the stream has no leader or the connection is down. The
// server deduplicates by msgID, so nothing is lost or doubled.
import { MillraceError, timings } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from './jetstream-access.ts';
import { SUBJECT_IS_FULL, isCode } from './jetstream-errors.ts';
import { encodeWithin } from '../core/wire.ts';

const ACK_TIMEOUT_MS = 2_000;
const RETRY_WAIT_MS = 100;

export type DurableOptions = {
  /** Stops the retries. */
  signal?: AbortSignal;
  /** One attempt, for callers that have waited for the end of the outage. */
  once?: boolean;
  /** Rejects a full subject or stream at once. Default: retry until it has room. */
  isQueue?: boolean;
  /** Time to live of the message, s, if the stream allows it. Default: the stream's age limit. */
  ttlSeconds?: number;
};
/** `duplicate`: a message with this msgID is stored already, under that sequence. */
export type StoredPublish = { sequence: number; duplicate: boolean };

/** @throws bus-unreachable after `timings.outageMs`; message-too-large and queue-full at once */
export async function publishDurably(
  access: JetStreamAccess,
  subject: string,
  value: unknown,
  msgID: string,
  options?: DurableOptions,
): Promise<StoredPublish> {
  return publishBytesDurably(
    access,
    subject,
    encodeWithin(value, access.bus.readMaxPayload(), subject),
    msgID,
    options,
  );
}

/** Publishes encoded bytes within the server's limit. @throws bus-unreachable, queue-full */
export async function publishBytesDurably(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  msgID: string,
  { signal, once = false, isQueue = false, ttlSeconds }: DurableOptions = {},
): Promise<StoredPublish> {
  const giveUpAt = once ? 0 : performance.now() + timings.outageMs;
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
      if (isQueue && isCode(cause, SUBJECT_IS_FULL)) throw createFullError(subject, cause);
      if (performance.now() > giveUpAt || access.bus.nc.isClosed() || signal?.aborted) {
        throw new MillraceError('bus-unreachable', `${subject} was not stored: ${String(cause)}`, {
          cause,
          path: subject,
          remedy: 'Try again after NATS has recovered.',
        });
      }
      access.bus.log.warn({ subject, error: String(cause) }, 'JetStream publish failed, retrying');
      await delay(RETRY_WAIT_MS);
    }
  }
}

/** Runs take seconds: some waiting commands are done by then. */
const FULL_RETRY_AFTER_MS = 2_000;

function createFullError(subject: string, cause: unknown): MillraceError {
  return new MillraceError('queue-full', `${subject} has no room for another message.`, {
    cause,
    path: subject,
    remedy: 'Try again after some waiting commands are done, or start more orchestrators.',
    retryAfterMs: FULL_RETRY_AFTER_MS,
  });
}
