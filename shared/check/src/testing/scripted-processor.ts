// A processor that uses no package of ours but the connection: the whole of docs/wire.md by hand, right in everything that its quirks
// leave as it is. It masks a word in the stream and stops inputs that hold "forbidden".
import { SESSION_LIMITS } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import type { Json, Quirks, Session } from './quirks.ts';
import { streamOf } from './scripted-stream.ts';

type Message = Parameters<Parameters<Bus['inbox']['open']>[0]>[0];

const STAGES = ['processInput', 'processOutputStream'];

/** Resolves when the server has the subscriptions. `stop` leaves at once, `drain` as docs/wire.md says. */
export async function scriptProcessor(bus: Bus, id: string, quirks: Quirks = {}) {
  const { nc, subjects, name, id: replica } = bus;
  const sessions = new Map<string, Session>();
  const identity = { name, id: replica, version: quirks.version ?? '1.0.0', metadata: {} };
  const descriptor = {
    id,
    description: 'masks a word',
    version: '1.0.0',
    stages: STAGES,
    reads: ['input'],
    processDataParts: false,
    optionsSchema: { type: 'object', properties: { word: { type: 'string', default: 'secret' } } },
    aliases: [],
    lists: ['input', 'output'],
    policy: { timeoutMs: 2_000, attempts: 1, onFailure: 'fail' },
    ...quirks.descriptor,
  };
  const subjectOf = (stage: string) => `${subjects.prefix}.stage.${stage}.${id}`;
  const endpoints = STAGES.map((stage) => ({
    name: `${stage}-${id}`,
    subject: subjectOf(stage),
    queue_group: quirks.queue ?? id,
    metadata: { millrace: JSON.stringify({ kind: 'processor', stage, descriptor }) },
  }));
  const numbers = { num_requests: 0, num_errors: 0, last_error: '', processing_time: 0, average_processing_time: 0 };
  const stats = endpoints.map(({ metadata: _, ...endpoint }) => ({ ...endpoint, ...numbers }));
  const discovered: Json = {
    PING: { type: 'io.nats.micro.v1.ping_response', ...identity },
    INFO: { type: 'io.nats.micro.v1.info_response', ...identity, description: 'a test', endpoints },
    STATS: { type: 'io.nats.micro.v1.stats_response', ...identity, started: 'now', endpoints: stats },
  };

  const stop = () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const session of sessions.values()) session.end();
  };
  const on = (subject: string, handle: (message: Message, json: Json) => void, queue?: string) =>
    nc.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (_error, message) => {
        const text = Buffer.from(message.data).toString();
        if (quirks.diesAt?.(text, subject)) return stop();
        const json = parsed(text);
        if (json !== undefined) handle(message, json);
      },
    });
  const answer = ({ reply }: Message, value: unknown) => {
    if (reply?.startsWith('_INBOX')) nc.publish(reply, JSON.stringify(value));
  };

  let busyUntil = performance.now();
  const call = (message: Message, asked: Json) => {
    const entries = ownEntries(asked, id);
    if (entries.length === 0) return answer(message, { error: { code: 'message-invalid', message: 'no call' } });
    const verdicts = quirks.verdicts?.(asked) ?? entries.map((entry) => judged(asked, entry));
    const right = { sequence: 0, verdicts, ms: verdicts.map(() => 0.1), replica };
    const leave = () => (quirks.reply?.(right, asked) ?? [right]).forEach((one) => answer(message, one));
    if (quirks.slowMs === undefined) return leave();
    busyUntil = Math.max(busyUntil, performance.now()) + quirks.slowMs;
    setTimeout(leave, busyUntil - performance.now()).unref();
  };
  const open = (message: Message, asked: Json) => {
    const entries = ownEntries(asked, id);
    if (entries.length === 0) return answer(message, { error: { code: 'message-invalid', message: 'no session' } });
    const session = streamOf(bus, asked, entries, quirks, () => sessions.delete(String(asked['session'])));
    const right = { opened: true, service: name, replica, served: entries.length };
    if (asked['end'] === true)
      return answer(
        message,
        quirks.opened?.({ ...right, output: session.batch() }, asked) ?? { ...right, output: session.batch() },
      );
    sessions.set(String(asked['session']), session);
    answer(message, quirks.opened?.(right, asked) ?? right);
    session.start();
  };

  const handlers: Readonly<Record<string, typeof call>> = { processInput: call, processOutputStream: open };
  const shared = STAGES.flatMap((stage) =>
    quirks.withoutSharedSubject ? [] : [on(subjectOf(stage), handlers[stage] ?? call, quirks.queue ?? id)],
  );
  const rest = [
    ...(quirks.verbs ?? Object.keys(discovered)).flatMap((verb) =>
      ['', `.${name}`, `.${name}.${replica}`].map((tail) =>
        nc.subscribe(`$SRV.${verb}${tail}`, { callback: (_error, message) => answer(message, discovered[verb]) }),
      ),
    ),
    ...STAGES.flatMap((stage) =>
      quirks.withoutOwnSubject ? [] : [on(`${subjectOf(stage)}.${replica}`, handlers[stage] ?? call)],
    ),
    ...(quirks.withoutCancel ? [] : [on(subjects.cancelCalls(name), () => undefined)]),
    on(`${subjects.prefix}.session.${name}.${replica}.*`, (_message, batch) =>
      sessions.get(String(batch['session']))?.take(batch),
    ),
  ];
  const subscriptions = [...shared, ...rest];
  await nc.flush();
  return {
    stop,
    async drain() {
      await Promise.all(shared.map((subscription) => subscription.drain()));
      const running = [...sessions.values()];
      await Promise.race([
        Promise.all(running.map(({ over }) => over)),
        new Promise((done) => setTimeout(done, SESSION_LIMITS.silenceMs)),
      ]);
      await nc.flush();
      stop();
    },
  };
}

function ownEntries(asked: Json, id: string): Json[] {
  const entries = Array.isArray(asked['entries']) ? asked['entries'].filter(isJson) : [];
  const others = entries.findIndex(({ processor }) => processor !== id);
  return others < 0 ? entries : entries.slice(0, others);
}

/** Which runs it has seen is in its state. */
function judged(asked: Json, entry: Json): Json {
  if (JSON.stringify(asked['input'] ?? null).includes('forbidden')) return { type: 'abort', reason: 'forbidden' };
  const state = isJson(entry['state']) ? entry['state'] : {};
  const seen = typeof state['seen'] === 'number' ? state['seen'] : 0;
  return { type: 'continue', state: { seen: seen + 1 } };
}

function parsed(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
