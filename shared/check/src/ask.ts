// One question on the bus and all that is answered, as it came: what a client library would hide is what is looked for here.
import { decode, type Bus } from '@millrace/bus';
import { z } from 'zod';
import { BrokenError } from './broken.ts';

type Reply = { text: string; json: unknown; serviceError: string | undefined };
export type Replies = {
  subject: string;
  /** `nobody`: the server says that nobody is subscribed. `silence`: the final answer did not come in time. */
  end: 'final' | 'nobody' | 'silence';
  replies: readonly Reply[];
};

export type AskOptions = {
  timeoutMs: number;
  isFinal: (reply: Reply) => boolean;
  /** How long is listened on after the final answer, ms. */
  lingerMs?: number;
};

/** So much is kept of what is answered to one question; who answers more floods whoever asks. */
const MAX_REPLIES = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * @param payload a string or bytes go out as they stand
 * @throws BrokenError for a flood
 */
export function ask(bus: Bus, subject: string, payload: unknown, options: AskOptions): Promise<Replies> {
  const { timeoutMs, isFinal, lingerMs = 0 } = options;
  const body = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload);
  return new Promise((resolve, reject) => {
    const replies: Reply[] = [];
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
      const reply = { text, json: parsed(data, subject), serviceError: serviceErrorOf(headers) };
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
    bus.nc.publish(subject, body, { reply: inbox.subject });
  });
}

type Headers = { get(name: string): string } | undefined;

function serviceErrorOf(headers: Headers): string | undefined {
  const text = headers?.get('Nats-Service-Error') ?? '';
  const code = headers?.get('Nats-Service-Error-Code') ?? '';
  return text === '' && code === '' ? undefined : `${code} ${text}`.trim();
}

/** undefined: no JSON, or nested deeper than any message of ours. */
function parsed(data: Uint8Array, subject: string): unknown {
  const read = decode(data, z.unknown(), subject);
  return 'ok' in read ? read.ok : undefined;
}
