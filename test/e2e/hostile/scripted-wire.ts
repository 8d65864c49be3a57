// A third-party processor that a test scripts on the wire: it advertises itself by docs/wire.md, then answers calls and
// sessions with arbitrary messages.
import type { TestBus } from '@millrace/testkit';
import { headers } from 'nats';

export type WireJson = Record<string, unknown>;
export type ScriptedWire = {
  replica: string;
  /** Leaves the bus like a process that dies. */
  die(): void;
  /** Replies to the call's inbox. */
  reply(message: unknown): void;
  /** Replies with the error headers of the NATS services protocol. */
  throws(text: string): void;
  /** Publishes any message to the session's output. */
  out(message: unknown): void;
  publish(subject: string, message: unknown): void;
};
export type WireScript = {
  id: string;
  stage: string;
  reads?: readonly string[];
  timeoutMs?: number;
  attempts?: number;
  /** Changes to its descriptor. */
  changes?: WireJson;
  /** Handles a stage call, or the opening of a session. */
  call(call: WireJson, wire: ScriptedWire): void;
  /** Handles a batch of a session. */
  batch?(batch: WireJson, wire: ScriptedWire): void;
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
  const sessions = new Map<string, { script: WireScript; wire: ScriptedWire }>();
  const calls = scripts.flatMap((script) =>
    ['', `.${replica}`].map((tail) =>
      nc.subscribe(`${subjects.prefix}.stage.${script.stage}.${script.id}${tail}`, {
        ...(tail === '' && { queue: script.id }),
        callback: (_error, message) => {
          const call = message.json<WireJson>();
          const inbox = message.reply ?? '';
          const wire: ScriptedWire = {
            replica,
            die: stop,
            // A late reply can arrive after the end of the connection.
            reply: (answer) => nc.isClosed() || nc.publish(inbox, write(answer)),
            throws: (text) => {
              const thrown = headers();
              thrown.set('Nats-Service-Error', text);
              thrown.set('Nats-Service-Error-Code', '500');
              nc.publish(inbox, '', { headers: thrown });
            },
            out: (batch) =>
              nc.publish(
                `${subjects.prefix}.out.${readText(call['orchestrator'])}.${readText(call['session'])}`,
                write(batch),
              ),
            publish: (subject, answer) => nc.publish(subject, write(answer)),
          };
          if (call['session'] !== undefined) sessions.set(readText(call['session']), { script, wire });
          script.call(call, wire);
        },
      }),
    ),
  );
  const batches = nc.subscribe(`${subjects.prefix}.session.${service}.${replica}.*`, {
    callback: (_error, message) => {
      const batch = message.json<WireJson>();
      const session = sessions.get(readText(batch['session']));
      session?.script.batch?.(batch, session.wire);
    },
  });
  await nc.flush();
  return { stop };
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');
