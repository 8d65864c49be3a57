// Implements a tool on the wire by hand, correct except for its quirks.
import { WIRE_PROTOCOL } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { answerDiscovery, sendReply } from '@millrace/testkit/wire';

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
  const queue = quirks.queue ?? name;
  const metadata = { millrace: JSON.stringify({ kind: 'tool', protocol: WIRE_PROTOCOL, tool }) };
  let busyUntil = performance.now();
  const timers = new Set<NodeJS.Timeout>();
  const stop = (): void => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const timer of timers) clearTimeout(timer);
  };
  const subscriptions: { unsubscribe(): void }[] = [
    ...answerDiscovery(bus, [{ name: `tool-${name}`, subject, queue_group: queue, metadata }], quirks),
    ...(quirks.withoutCancel ? [] : [nc.subscribe(subjects.cancelCalls(service), { callback: () => undefined })]),
    nc.subscribe(subject, {
      queue,
      callback: (_error, { data, reply }): void => {
        const text = Buffer.from(data).toString();
        if (quirks.diesAt?.(text)) return stop();
        if (!text.startsWith('{"callId"'))
          return sendReply(nc, reply, { error: { code: 'message-invalid', message: 'no call' } });
        const call: Json = JSON.parse(text);
        const right = { sequence: 0, result: { n: 1 }, replica };
        const leave = () => (quirks.reply?.(right, call) ?? [right]).forEach((one) => sendReply(nc, reply, one));
        if (quirks.slowMs === undefined) return leave();
        busyUntil = Math.max(busyUntil, performance.now()) + quirks.slowMs;
        timers.add(setTimeout(leave, busyUntil - performance.now()).unref());
      },
    }),
  ];
  await nc.flush();
  return { stop };
}
