// Implements docs/wire.md by hand with only the connection of our packages, correct except for its quirks. Masks a word
// in the stream and stops inputs that contain "forbidden".
import { SESSION_LIMITS } from '@millrace/contracts';
import type { Bus } from '@millrace/bus';
import { answerDiscovery, describeProcessor, sendReply } from '@millrace/testkit/wire';
import type { Json, Quirks, Session } from './wire-violations.ts';
import { openStream } from './scripted-stream.ts';

type RawMessage = Parameters<Parameters<Bus['inbox']['open']>[0]>[0];

const STAGES = ['processInput', 'processOutputStream'] as const;

/** Resolves when the server has the subscriptions. `stop` leaves at once, `drain` as in docs/wire.md. */
export async function scriptProcessor(bus: Bus, id: string, quirks: Quirks = {}) {
  const { nc, subjects, name, id: replica } = bus;
  const sessions = new Map<string, Session>();
  const timers = new Set<NodeJS.Timeout>();
  const stop = () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
    for (const timer of timers) clearTimeout(timer);
    for (const session of sessions.values()) session.end();
  };
  const answerSubject = (subject: string, handle: Handle, queue?: string) =>
    nc.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (_error, message) => {
        const text = Buffer.from(message.data).toString();
        if (quirks.diesAt?.(text, subject)) return stop();
        const json = parseJson(text);
        if (json !== undefined) handle(message, json);
      },
    });
  const call = answerCalls(bus, id, quirks, timers);
  const handlers: Readonly<Record<string, Handle>> = {
    processInput: call,
    processOutputStream: openSessions(bus, id, quirks, sessions),
  };
  const stages = STAGES.map((stage) => ({
    subject: subjects.stage(stage, { service: name, processor: id }),
    handle: handlers[stage] ?? call,
  }));
  const shared = quirks.withoutSharedSubject
    ? []
    : stages.map(({ subject, handle }) =>
        answerSubject(subject, handle, quirks.withoutQueue ? undefined : (quirks.queue ?? id)),
      );
  const rest = [
    ...answerDiscovery(bus, describe(bus, id, quirks), quirks),
    ...(quirks.withoutOwnSubject
      ? []
      : stages.map(({ subject, handle }) => answerSubject(`${subject}.${replica}`, handle))),
    ...(quirks.withoutCancel ? [] : [answerSubject(subjects.cancelCalls(name), () => undefined)]),
    answerSubject(`${subjects.prefix}.session.${name}.${replica}.*`, (_message, batch) =>
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

type Handle = (message: RawMessage, json: Json) => void;

function describe(bus: Bus, id: string, { descriptor, queue }: Quirks) {
  const options = { type: 'object', properties: { word: { type: 'string', default: 'secret' } } };
  return describeProcessor(bus, id, STAGES, { reads: ['input'], optionsSchema: options, ...descriptor }, queue);
}

function answerCalls(bus: Bus, id: string, quirks: Quirks, timers: Set<NodeJS.Timeout>): Handle {
  let busyUntil = performance.now();
  return (message, asked) => {
    const entries = selectOwnEntries(asked, id);
    if (entries.length === 0)
      return sendReply(bus.nc, message.reply, { error: { code: 'message-invalid', message: 'no call' } });
    const verdicts = quirks.verdicts?.(asked) ?? entries.map((entry) => judgeEntry(asked, entry));
    const right = { sequence: 0, verdicts, ms: verdicts.map(() => 0.1), replica: bus.id };
    const leave = () =>
      (quirks.reply?.(right, asked) ?? [right]).forEach((one) => sendReply(bus.nc, message.reply, one));
    if (quirks.slowMs === undefined) return leave();
    busyUntil = Math.max(busyUntil, performance.now()) + quirks.slowMs;
    timers.add(setTimeout(leave, busyUntil - performance.now()).unref());
  };
}

function openSessions(bus: Bus, id: string, quirks: Quirks, sessions: Map<string, Session>): Handle {
  return (message, asked) => {
    const entries = selectOwnEntries(asked, id);
    if (entries.length === 0)
      return sendReply(bus.nc, message.reply, { error: { code: 'message-invalid', message: 'no session' } });
    const name = String(asked['session']);
    const session = openStream(bus, asked, entries, quirks, () => sessions.delete(name));
    const right = { opened: true, service: bus.name, replica: bus.id, served: entries.length };
    const isEnd = asked['end'] === true;
    if (!isEnd) sessions.set(name, session);
    const opened = isEnd ? { ...right, output: session.batch() } : right;
    sendReply(bus.nc, message.reply, quirks.changeOpened?.(opened, asked) ?? opened);
    if (!isEnd) session.start();
  };
}

function selectOwnEntries(asked: Json, id: string): Json[] {
  const entries = Array.isArray(asked['entries']) ? asked['entries'].filter(isJson) : [];
  const others = entries.findIndex(({ processor }) => processor !== id);
  return others < 0 ? entries : entries.slice(0, others);
}

/** Its state lists the earlier runs. */
function judgeEntry(asked: Json, entry: Json): Json {
  if (JSON.stringify(asked['input'] ?? null).includes('forbidden')) return { type: 'abort', reason: 'forbidden' };
  const state = isJson(entry['state']) ? entry['state'] : {};
  const seen = typeof state['seen'] === 'number' ? state['seen'] : 0;
  return { type: 'continue', state: { seen: seen + 1 } };
}

function parseJson(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
