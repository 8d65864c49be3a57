// Sends one request on the bus and records all replies unchanged, because a client library would hide violations.
import { decode, makeHeaders, type Bus } from '@millrace/bus';
import { z } from 'zod';
import { BrokenError } from './rule-error.ts';

type ReceivedReply = { text: string; json: unknown; serviceError: string | undefined };
export type Replies = {
  subject: string;
  /** `nobody`: the server reports no subscriber. `silence`: the final reply timed out. */
  end: 'final' | 'nobody' | 'silence';
  replies: readonly ReceivedReply[];
};

export type RawAskOptions = {
  timeoutMs: number;
  headers?: Readonly<Record<string, string>> | undefined;
  isFinal: (reply: ReceivedReply) => boolean;
  /** Time to listen after the final reply, ms. */
  lingerMs?: number;
};

/** Maximum number of recorded replies to one request; more flood the caller. */
const MAX_REPLIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * @param payload a string or bytes are sent unchanged
 * @throws BrokenError for a flood
 */
export function ask(bus: Bus, subject: string, payload: unknown, options: RawAskOptions): Promise<Replies> {
  const { timeoutMs, isFinal, lingerMs = 0, headers } = options;
  const body = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload);
  return new Promise((resolve, reject) => {
    const replies: ReceivedReply[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: Replies['end']) => {
      clearTimeout(timer);
      inbox.release();
      resolve({ subject, end, replies });
    };
    const inbox = bus.inbox.open(({ data, headers }) => {
      if (data.length === 0 && headers?.code === 503) return finish('nobody');
      const text = Buffer.from(data).toString('utf8');
      const reply = { text, json: parseReply(data, subject), serviceError: readServiceError(headers) };
      replies.push(reply);
      bytes += data.length;
      if (replies.length > MAX_REPLIES || bytes > MAX_BYTES) {
        clearTimeout(timer);
        inbox.release();
        return reject(new BrokenError(`${subject} was answered ${replies.length} times, ${bytes} bytes in all`));
      }
      if (!isFinal(reply)) return;
      clearTimeout(timer);
      timer = setTimeout(() => finish('final'), lingerMs);
    });
    timer = setTimeout(() => finish('silence'), timeoutMs);
    bus.nc.publish(subject, body, { reply: inbox.subject, ...(headers && { headers: makeHeaders(headers) }) });
  });
}

type Headers = { get(name: string): string } | undefined;

function readServiceError(headers: Headers): string | undefined {
  const text = headers?.get('Nats-Service-Error') ?? '';
  const code = headers?.get('Nats-Service-Error-Code') ?? '';
  return text === '' && code === '' ? undefined : `${code} ${text}`.trim();
}

/** Returns undefined for data that is not JSON, or is nested deeper than any message. */
function parseReply(data: Uint8Array, subject: string): unknown {
  const read = decode(data, z.unknown(), subject);
  return 'ok' in read ? read.ok : undefined;
}
