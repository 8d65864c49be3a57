// An acknowledged publish: tried again, with its msgID, while the stream has no leader or the connection is down. The msgID
// makes the second try harmless, so nothing is lost and nothing doubled (architecture.md, section 8).
import { MillraceError } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamAccess } from './topology.ts';
import { encodeWithin } from './wire.ts';

const ACK_TIMEOUT_MS = 2_000;
const RETRY_WAIT_MS = 100;
/** Losing the leader of a replicated stream stops its publishes for 5 to 7 s. */
const GIVE_UP_AFTER_MS = 15_000;

/** Resolves with the stream sequence. @throws bus-unreachable after `GIVE_UP_AFTER_MS`, message-too-large at once */
export async function publishDurably(
  access: JetStreamAccess,
  subject: string,
  value: unknown,
  msgID: string,
): Promise<number> {
  return publishBytesDurably(access, subject, encodeWithin(value, access.bus.maxPayload(), subject), msgID);
}

/** The same for what is written already, and known to be within the server's limit. @throws bus-unreachable */
export async function publishBytesDurably(
  access: JetStreamAccess,
  subject: string,
  payload: Uint8Array,
  msgID: string,
): Promise<number> {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  for (;;) {
    try {
      const acked = await access.js.publish(subject, payload, { msgID, timeout: ACK_TIMEOUT_MS, retries: 0 });
      return acked.seq;
    } catch (cause) {
      if (Date.now() > giveUpAt || access.bus.nc.isClosed()) {
        throw new MillraceError('bus-unreachable', `${subject} was not stored: ${String(cause)}`, {
          cause,
          path: subject,
        });
      }
      access.bus.log.warn({ subject, error: String(cause) }, 'a stored publish is tried again');
      await delay(RETRY_WAIT_MS);
    }
  }
}
