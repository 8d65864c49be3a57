// A third-party processor that a test scripts on the wire: it advertises itself by docs/wire.md, then answers calls and
// sessions with arbitrary messages.
import type { Stage } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import {
  answerDiscovery,
  describeProcessor,
  sendReply,
  writeMessage,
  type WireHeaders,
  type WireJson,
} from './wire-discovery.ts';

export type ScriptedWire = {
  service: string;
  replica: string;
  /** Leaves the bus like a process that dies. */
  die(): void;
  /** Replies to the call's inbox. */
  reply(message: unknown, headers?: WireHeaders): void;
  /** Publishes any message to the session's output. */
  out(message: unknown): void;
  publish(subject: string, message: unknown): void;
};
export type WireScript = {
  id: string;
  stage: Stage;
  /** Replaces members of its descriptor. */
  descriptor?: WireJson;
  /** Handles a stage call, or the opening of a session. A promise keeps the service connected until it resolves. */
  call(call: WireJson, wire: ScriptedWire): void | Promise<void>;
  /** Handles a batch of a session. */
  batch?(batch: WireJson, wire: ScriptedWire): void;
};

/** Resolves when the server has the subscriptions. `stop` resolves after the pending calls. */
export async function serveWire(bus: Bus, scripts: readonly WireScript[]): Promise<{ stop(): Promise<void> }> {
  const { nc, subjects, id: replica, name: service } = bus;
  const pending: unknown[] = [];
  const sessions = new Map<string, { script: WireScript; wire: ScriptedWire }>();
  const endpoints = scripts.flatMap(({ id, stage, descriptor }) => describeProcessor(bus, id, [stage], descriptor));
  const infos = answerDiscovery(bus, endpoints);
  const calls = scripts.flatMap((script) =>
    [undefined, replica].map((own) =>
      nc.subscribe(subjects.stage(script.stage, { service, processor: script.id }, own), {
        ...(own === undefined && { queue: script.id }),
        callback: (_error, message) => {
          const call = message.json<WireJson>();
          const wire = createWire(bus, call, message.reply, unsubscribe);
          if (call['session'] !== undefined) sessions.set(readText(call['session']), { script, wire });
          pending.push(script.call(call, wire));
        },
      }),
    ),
  );
  const batches = nc.subscribe(subjects.allSessions(service, replica), {
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

function createWire(
  { nc, subjects, id, name }: Bus,
  call: WireJson,
  inbox: string | undefined,
  die: () => void,
): ScriptedWire {
  return {
    service: name,
    replica: id,
    die,
    reply: (answer, headers) => sendReply(nc, inbox, answer, headers),
    out: (batch) =>
      nc.publish(subjects.out(readText(call['orchestrator']), readText(call['session'])), writeMessage(batch)),
    publish: (subject, answer) => nc.publish(subject, writeMessage(answer)),
  };
}

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Builds the reply to a call with this verdict. */
export const makeReply = ({ replica }: ScriptedWire, verdict: WireJson, more: WireJson = {}): WireJson => ({
  sequence: 0,
  verdicts: [verdict],
  ms: [0],
  replica,
  ...more,
});
