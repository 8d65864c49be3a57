// Who is there: processors and tools that running services advertise. Asked again every few seconds and on demand; used to
// resolve agents, to merge adjacent entries, and to find a second replica, never to decide whether an entry is called.
import {
  readAdvertised,
  type Advertised,
  type AdvertisedProcessor,
  type RefusedEndpoint,
  type ToolDefinition,
} from '@millrace/contracts';
import { gatherInfo, gatherPings, hasLeft, type Bus } from '@millrace/bus';
import { createMissingReplicas } from './missing-replicas.ts';
import { createSilentReplicas } from './silent-replicas.ts';

export type FoundProcessor = AdvertisedProcessor;

export type Discovery = {
  processors(): ReadonlyMap<string, FoundProcessor>;
  tools(): ReadonlyMap<string, ToolDefinition>;
  /** What is advertised and does not count, with the reason. */
  refused(): readonly RefusedEndpoint[];
  serviceOfTool(tool: string): string | undefined;
  /** Whether one replica serves both, so that one call can carry both. */
  together(first: string, second: string): boolean;
  /** A replica of the processor that answers a ping now: another one than `failed` where there is one. */
  replicaThatAnswers(processor: string, signal: AbortSignal, failed?: string): Promise<string | undefined>;
  /** How many of the processor's replicas (or: whether this one) have left the bus, as the server says; silence is no sign. */
  goneReplicas(processor: string, replica?: string): Promise<'all' | 'some' | 'none'>;
  /**
   * Whether one of the processor's replicas (or: this one) is there and does not answer a ping, while another one does: it is stopped,
   * and takes its share of requests all the same.
   */
  hasSilent(processor: string, replica?: string): Promise<boolean>;
  /** While one of its replicas was silent a moment ago: one that was not. undefined: whoever takes the request. */
  preferred(processor: string): string | undefined;
  /** Resolves when everybody has been asked who was there at the time of the call. */
  refresh(): Promise<void>;
  /** The same with more time for answers: before somebody counts as not there. */
  lookLonger(): Promise<void>;
  stop(): void;
};

const REFRESH_MS = 5_000;
const GATHER_MS = 300;
/** On a busy machine a process that is there answers after half a second, too. */
const LONG_GATHER_MS = 1_500;
/** Processes that are read; the rest of the answers is left out. */
const MAX_ANSWERS = 5_000;
const PING_MS = 250;

export function createDiscovery(bus: Bus): Discovery {
  let found: Advertised = { processors: new Map(), tools: new Map(), refused: [] };
  let tools = new Map<string, ToolDefinition>();
  const log = createRefusalLog(bus);
  const silent = createSilentReplicas();
  const missing = createMissingReplicas((replica) => hasLeft(bus, replica, PING_MS).catch(() => false));
  const noteMissing = async (before: Advertised, now: Advertised) => {
    await missing.update(before, now);
    for (const id of now.processors.keys()) for (const replica of missing.of(id)) silent.note(replica, true);
  };
  const replicasOf = (processor: string) => [
    ...(found.processors.get(processor)?.replicas ?? []),
    ...missing.of(processor),
  ];

  const look = async (gatherMs: number) => {
    const infos = await gatherInfo(bus, { gatherMs, max: MAX_ANSWERS });
    const before = found;
    found = readAdvertised(infos, bus.subjects);
    tools = new Map([...found.tools].map(([name, { tool }]) => [name, tool]));
    log(found.refused);
    void noteMissing(before, found);
  };
  const refresh = freshly(() => look(GATHER_MS));
  const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH_MS).unref();

  return {
    processors: () => found.processors,
    tools: () => tools,
    refused: () => found.refused,
    serviceOfTool: (tool) => found.tools.get(tool)?.service,
    together(first, second) {
      const replicas = new Set(found.processors.get(first)?.replicas);
      return found.processors.get(second)?.replicas.some((replica) => replicas.has(replica)) ?? false;
    },
    async replicaThatAnswers(processor, signal, failed) {
      const known = found.processors.get(processor);
      if (!known || signal.aborted) return undefined;
      // Each by its own subject: the first of the service to answer may be one that does not serve this processor.
      const pings = known.replicas.map((replica) => ({ replica, answer: answersPing(bus, known.service, replica) }));
      const others = pings.filter(({ replica }) => replica !== failed).map(({ answer }) => answer);
      const another = await firstThatAnswers(others);
      return another ?? pings.find(({ replica }) => replica === failed)?.answer;
    },
    async goneReplicas(processor, replica) {
      const known = found.processors.get(processor);
      if (!known) return 'none';
      const asked = replica === undefined ? known.replicas : [replica];
      const gone = await Promise.all(asked.map((one) => hasLeft(bus, `${known.service}.${one}`, PING_MS)));
      if (gone.every(Boolean)) return 'all';
      return gone.some(Boolean) ? 'some' : 'none';
    },
    async hasSilent(processor, replica) {
      const known = found.processors.get(processor);
      if (!known) return false;
      const pings = replicasOf(processor).map(async (one) => ({
        one,
        answer: await answersPing(bus, known.service, one),
      }));
      const asked = await Promise.all(pings);
      if (asked.every(({ answer }) => answer === undefined)) return false;
      for (const { one, answer } of asked) silent.note(one, answer === undefined);
      return asked.some(({ one, answer }) => answer === undefined && (replica === undefined || one === replica));
    },
    preferred: (processor) => silent.preferred(replicasOf(processor)),
    refresh,
    lookLonger: freshly(() => look(LONG_GATHER_MS)),
    stop: () => clearInterval(timer),
  };
}

/**
 * Work that is under way when somebody asks began before the question, and may have missed what is asked for: it is done once more
 * after it, once for all who ask meanwhile.
 */
function freshly(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = () => (current = work().finally(() => (current = undefined)));
  return () => {
    if (!current) return start();
    return (next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      }));
  };
}

/** How many refusals are remembered, so that each is logged once. */
const MAX_REMEMBERED = 1_000;

function createRefusalLog(bus: Bus): (refused: readonly RefusedEndpoint[]) => void {
  const logged = new Set<string>();
  return (refused) => {
    for (const { service, name, problem } of refused) {
      const key = JSON.stringify([service, name, problem]);
      if (logged.has(key) || logged.size >= MAX_REMEMBERED) continue;
      logged.add(key);
      bus.log.warn({ service, name, problem }, 'advertised but refused');
    }
  };
}

/** Its id; undefined when it does not answer within `PING_MS`. */
async function answersPing(bus: Bus, service: string, replica: string): Promise<string | undefined> {
  const [ping] = await gatherPings(bus, `${service}.${replica}`, { gatherMs: PING_MS, max: 1 }).catch(() => []);
  return ping?.id;
}

function firstThatAnswers(answers: readonly Promise<string | undefined>[]): Promise<string | undefined> {
  return Promise.any(answers.map(async (answer) => (await answer) ?? Promise.reject(new Error('no answer')))).catch(
    () => undefined,
  );
}
