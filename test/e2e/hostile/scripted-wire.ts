// A third-party processor that a test scripts on the wire: it advertises itself by docs/wire.md, then answers calls and
// sessions with arbitrary messages.
import { WIRE_PROTOCOL } from '@millrace/contracts';
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
  /** Handles a stage call, or the opening of a session. A promise keeps the service connected until it resolves. */
  call(call: WireJson, wire: ScriptedWire): void | Promise<void>;
  /** Handles a batch of a session. */
  batch?(batch: WireJson, wire: ScriptedWire): void;
};

const LISTS: Record<string, string> = {
  processInput: 'input',
  processOutputStream: 'output',
  processToolCall: 'input',
};

const write = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message));

/** Resolves when the server has the subscriptions. `stop` resolves after the pending calls. */
export async function serveWire(
  bus: TestBus['bus'],
  scripts: readonly WireScript[],
): Promise<{ stop(): Promise<void> }> {
  const { nc, subjects, id: replica, name: service } = bus;
  const pending: unknown[] = [];
  const sessions = new Map<string, { script: WireScript; wire: ScriptedWire }>();
  const infos = answerDiscovery(bus, scripts);
  const calls = scripts.flatMap((script) =>
    ['', `.${replica}`].map((tail) =>
      nc.subscribe(`${subjects.prefix}.stage.${script.stage}.${service}.${script.id}${tail}`, {
        ...(tail === '' && { queue: script.id }),
        callback: (_error, message) => {
          const call = message.json<WireJson>();
          const wire = createWire(bus, call, message.reply ?? '', unsubscribe);
          if (call['session'] !== undefined) sessions.set(readText(call['session']), { script, wire });
          pending.push(script.call(call, wire));
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
  function unsubscribe() {
    for (const subscription of [...infos, ...calls, batches]) subscription.unsubscribe();
  }
  await nc.flush();
  return {
    async stop() {
      await Promise.all(pending);
      unsubscribe();
    },
  };
}

function answerDiscovery(bus: TestBus['bus'], scripts: readonly WireScript[]) {
  const { nc, id, name } = bus;
  const identity = { name, id, version: '1.0.0', metadata: {} };
  const endpoints = scripts.map((script) => describeEndpoint(bus, script));
  return ['', `.${name}`, `.${name}.${id}`].flatMap((tail) => [
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
}

function describeEndpoint(
  { subjects, name }: TestBus['bus'],
  { id, stage, reads = ['input', 'response'], timeoutMs = 2_000, attempts = 1, changes }: WireScript,
) {
  const descriptor = {
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
  };
  return {
    name: `${stage}-${id}`,
    subject: `${subjects.prefix}.stage.${stage}.${name}.${id}`,
    queue_group: id,
    metadata: { millrace: JSON.stringify({ kind: 'processor', protocol: WIRE_PROTOCOL, stage, descriptor }) },
  };
}

function createWire(
  { nc, subjects, id }: TestBus['bus'],
  call: WireJson,
  inbox: string,
  die: () => void,
): ScriptedWire {
  const output = `${subjects.prefix}.out.${readText(call['orchestrator'])}.${readText(call['session'])}`;
  return {
    replica: id,
    die,
    reply: (answer) => nc.publish(inbox, write(answer)),
    throws: (text) => {
      const thrown = headers();
      thrown.set('Nats-Service-Error', text);
      thrown.set('Nats-Service-Error-Code', '500');
      nc.publish(inbox, '', { headers: thrown });
    },
    out: (batch) => nc.publish(output, write(batch)),
    publish: (subject, answer) => nc.publish(subject, write(answer)),
  };
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');
