// Implements a tool on the wire by hand, correct except for its quirks.
import { WIRE_PROTOCOL } from '@millrace/contracts';
import { isInbox, type Bus } from '@millrace/bus';

type Json = Record<string, unknown>;
export type ToolQuirks = {
  queue?: string;
  version?: string;
  verbs?: readonly string[];
  withoutCancel?: boolean;
  slowMs?: number;
  /** Replies to one call. */
  reply?: (right: Json, call: Json) => readonly unknown[];
  /** Leaves the bus at such a message. */
  diesAt?: (text: string) => boolean;
};

/** Resolves when the server has the subscriptions. */
export async function scriptTool(bus: Bus, name: string, quirks: ToolQuirks = {}): Promise<{ stop(): void }> {
  const { nc, subjects, name: service, id: replica } = bus;
  const subject = subjects.tool(service, name);
  const tool = {
    name,
    description: 'adds one',
    inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    subject,
    idempotent: true,
    timeoutMs: 2_000,
  };
  const identity = { name: service, id: replica, version: quirks.version ?? '1.0.0', metadata: {} };
  const endpoint = { name: `tool-${name}`, subject, queue_group: quirks.queue ?? name };
  const numbers = { num_requests: 0, num_errors: 0, last_error: '', processing_time: 0, average_processing_time: 0 };
  const metadata = { millrace: JSON.stringify({ kind: 'tool', protocol: WIRE_PROTOCOL, tool }) };
  const told: Json = {
    PING: { type: 'io.nats.micro.v1.ping_response', ...identity },
    INFO: {
      type: 'io.nats.micro.v1.info_response',
      ...identity,
      description: '',
      endpoints: [{ ...endpoint, metadata }],
    },
    STATS: {
      type: 'io.nats.micro.v1.stats_response',
      ...identity,
      started: 'now',
      endpoints: [{ ...endpoint, ...numbers }],
    },
  };
  let busyUntil = performance.now();
  const timers = new Set<NodeJS.Timeout>();
  const stop = (): void => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const timer of timers) clearTimeout(timer);
  };
  const publish = (reply: string | undefined, value: unknown) => {
    if (reply !== undefined && isInbox(reply))
      nc.publish(reply, typeof value === 'string' ? value : JSON.stringify(value));
  };
  const subscriptions: { unsubscribe(): void }[] = [
    ...(quirks.verbs ?? Object.keys(told)).flatMap((verb) =>
      ['', `.${service}`, `.${service}.${replica}`].map((tail) =>
        nc.subscribe(`$SRV.${verb}${tail}`, { callback: (_error, { reply }) => publish(reply, told[verb]) }),
      ),
    ),
    ...(quirks.withoutCancel ? [] : [nc.subscribe(subjects.cancelCalls(service), { callback: () => undefined })]),
    nc.subscribe(subject, {
      queue: quirks.queue ?? name,
      callback: (_error, { data, reply }): void => {
        const text = Buffer.from(data).toString();
        if (quirks.diesAt?.(text)) return stop();
        if (!text.startsWith('{"callId"'))
          return publish(reply, { error: { code: 'message-invalid', message: 'no call' } });
        const call: Json = JSON.parse(text);
        const right = { sequence: 0, result: { n: 1 }, replica };
        const leave = () => (quirks.reply?.(right, call) ?? [right]).forEach((one) => publish(reply, one));
        if (quirks.slowMs === undefined) return leave();
        busyUntil = Math.max(busyUntil, performance.now()) + quirks.slowMs;
        timers.add(setTimeout(leave, busyUntil - performance.now()).unref());
      },
    }),
  ];
  await nc.flush();
  return { stop };
}
