// One question on the bus and all that is answered, as it came: what a client library would hide is what is looked for here.
import type { Bus } from '@millrace/bus';

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

/** @param payload a string or bytes go out as they stand */
export function ask(bus: Bus, subject: string, payload: unknown, options: AskOptions): Promise<Replies> {
  const { timeoutMs, isFinal, lingerMs = 0 } = options;
  const body = typeof payload === 'string' || payload instanceof Uint8Array ? payload : JSON.stringify(payload);
  return new Promise((resolve) => {
    const replies: Reply[] = [];
    let timer: NodeJS.Timeout | undefined;
    const finish = (end: Replies['end']) => {
      clearTimeout(timer);
      inbox.release();
      resolve({ subject, end, replies });
    };
    const inbox = bus.inbox.open(({ data, headers }) => {
      if (data.length === 0 && headers?.code === 503) return finish('nobody');
      const text = Buffer.from(data).toString('utf8');
      const reply = { text, json: parsed(text), serviceError: serviceErrorOf(headers) };
      replies.push(reply);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
