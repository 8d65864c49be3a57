// A processor of somebody else's that does on the wire whatever a test says: it advertises itself as docs/wire.md asks, and from there on
// answers calls and sessions by hand, in whole messages.
import type { TestBus } from '@millrace/testkit';
import { headers } from 'nats';

export type Json = Record<string, unknown>;
export type Wire = {
  replica: string;
  /** Leaves the bus, as a process does that dies. */
  die(): void;
  /** To the call's own inbox. */
  reply(message: unknown): void;
  /** By the headers of the NATS services protocol. */
  throws(text: string): void;
  /** To the session's output, whatever it is. */
  out(message: unknown): void;
  publish(subject: string, message: unknown): void;
};
export type WireScript = {
  id: string;
  stage: string;
  reads?: readonly string[];
  timeoutMs?: number;
  attempts?: number;
  /** What it says of itself. */
  changes?: Json;
  /** A stage call, or the opening of a session. */
  call(call: Json, wire: Wire): void;
  /** A batch of a session. */
  batch?(batch: Json, wire: Wire): void;
};

const LISTS: Record<string, string> = {
  processInput: 'input',
  processOutputStream: 'output',
  processToolCall: 'input',
};

/** Resolves when the server has the subscriptions. */
export async function serveWire(bus: TestBus['bus'], scripts: readonly WireScript[]): Promise<{ stop(): void }> {
  const { nc, subjects, id: replica, name: service } = bus;
  const identity = { name: service, id: replica, version: '1.0.0', metadata: {} };
  const write = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message));
  const endpoints = scripts.map(
    ({ id, stage, reads = ['input', 'response'], timeoutMs = 2_000, attempts = 1, changes }) => ({
      name: `${stage}-${id}`,
      subject: `${subjects.prefix}.stage.${stage}.${id}`,
      queue_group: id,
      metadata: {
        millrace: JSON.stringify({
          kind: 'processor',
          stage,
          descriptor: {
            id,
            description: 'of the wire',
            version: '1.0.0',
            stages: [stage],
            reads,
            processDataParts: false,
            ...(changes && { changes }),
            optionsSchema: { type: 'object' },
            aliases: [],
            lists: [LISTS[stage] ?? 'output'],
            policy: { timeoutMs, attempts, onFailure: 'fail' },
          },
        }),
      },
    }),
  );
  const stop = () => [...infos, ...calls, batches].forEach((subscription) => subscription.unsubscribe());
  const infos = ['', `.${service}`, `.${service}.${replica}`].flatMap((tail) => [
    nc.subscribe(`$SRV.INFO${tail}`, {
      callback: (_error, message) =>
        void message.respond(
          write({ type: 'io.nats.micro.v1.info_response', ...identity, description: 'raw', endpoints }),
        ),
    }),
    nc.subscribe(`$SRV.PING${tail}`, {
      callback: (_error, message) =>
        void message.respond(write({ type: 'io.nats.micro.v1.ping_response', ...identity })),
    }),
  ]);
  const sessions = new Map<string, { script: WireScript; wire: Wire }>();
  const calls = scripts.flatMap((script) =>
    ['', `.${replica}`].map((tail) =>
      nc.subscribe(`${subjects.prefix}.stage.${script.stage}.${script.id}${tail}`, {
        ...(tail === '' && { queue: script.id }),
        callback: (_error, message) => {
          const call = message.json<Json>();
          const inbox = message.reply ?? '';
          const wire: Wire = {
            replica,
            die: stop,
            // A late one may be later than the connection's end.
            reply: (answer) => nc.isClosed() || nc.publish(inbox, write(answer)),
            throws: (text) => {
              const thrown = headers();
              thrown.set('Nats-Service-Error', text);
              thrown.set('Nats-Service-Error-Code', '500');
              nc.publish(inbox, '', { headers: thrown });
            },
            out: (batch) =>
              nc.publish(
                `${subjects.prefix}.out.${textOf(call['orchestrator'])}.${textOf(call['session'])}`,
                write(batch),
              ),
            publish: (subject, answer) => nc.publish(subject, write(answer)),
          };
          if (call['session'] !== undefined) sessions.set(textOf(call['session']), { script, wire });
          script.call(call, wire);
        },
      }),
    ),
  );
  const batches = nc.subscribe(`${subjects.prefix}.session.${service}.${replica}.*`, {
    callback: (_error, message) => {
      const batch = message.json<Json>();
      const session = sessions.get(textOf(batch['session']));
      session?.script.batch?.(batch, session.wire);
    },
  });
  await nc.flush();
  return { stop };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
