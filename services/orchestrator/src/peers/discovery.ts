// Discovers the processors and tools that running services advertise, every few seconds and on demand. Used to resolve
// agents, to merge adjacent entries and to find a second replica, never to decide whether an entry is called.
import {
  timings,
  type AdvertisedServices,
  buildServedKey,
  type AdvertisedProcessor,
  type AdvertisedTool,
  type RefusedEndpoint,
  type ServedProcessor,
} from '@millrace/contracts';
import { gatherInfoBytes, gatherPings, hasLeft, type Bus } from '@millrace/bus';
import { createAnswerReader } from './read-answers.ts';
import { createMissingReplicas } from './replica-health.ts';
import { createSilentReplicas } from './replica-health.ts';

export type DiscoveredProcessor = AdvertisedProcessor;

export type Discovery = {
  getProcessors(): ReadonlyMap<string, DiscoveredProcessor>;
  getTools(): ReadonlyMap<string, AdvertisedTool>;
  /** Returns refused advertisements with their reasons. */
  listRefused(): readonly RefusedEndpoint[];
  findServiceOfTool(tool: string): string | undefined;
  /** Returns true if the replica is known to serve the processor. */
  isReplica(served: ServedProcessor, replica: string): boolean;
  /** Whether one replica serves both, so that one call can carry both. */
  isServedTogether(first: ServedProcessor, second: ServedProcessor): boolean;
  /** Returns a replica of the processor that answers a ping now: another one than `failed` if possible. */
  findAnsweringReplica(served: ServedProcessor, signal: AbortSignal, failed?: string): Promise<string | undefined>;
  /**
   * Returns how many of the processor's replicas (or whether this one) have left the bus according to the server;
   * silence is no evidence.
   */
  findMissingReplicas(served: ServedProcessor, replica?: string): Promise<'all' | 'some' | 'none'>;
  /**
   * Returns whether one of the processor's replicas (or this one) runs but does not answer a ping, while another one
   * does: it is stopped, and still receives its share of requests.
   */
  hasSilent(served: ServedProcessor, replica?: string): Promise<boolean>;
  /**
   * Returns a replica that was not silent, if one of the others was a moment ago. undefined: any replica may take the
   * request.
   */
  preferReplica(served: ServedProcessor): string | undefined;
  /** Resolves when all services that were running at the time of the call have been asked. */
  refresh(): Promise<void>;
  /** As `refresh`, with more time for answers: before a service counts as missing. */
  refreshLonger(): Promise<void>;
  stop(): void;
};

type ReportRefused = (refused: readonly RefusedEndpoint[]) => void;

const GATHER_MS = 300;
/** On a busy machine a running process may answer after half a second. */
const LONG_GATHER_MS = 1_500;
const PING_MS = 250;

/** @param report receives the rejected advertisements of each look */
export function createDiscovery(bus: Bus, report: ReportRefused = () => undefined): Discovery {
  let found: AdvertisedServices = { processors: new Map(), tools: new Map(), served: new Map(), refused: [] };
  const log = createRefusalLog(bus);
  const read = createAnswerReader(bus);
  const silent = createSilentReplicas();
  const missing = createMissingReplicas((replica) => hasLeft(bus, replica, PING_MS).catch(() => false));
  const noteMissing = async (before: AdvertisedServices, now: AdvertisedServices) => {
    await missing.update(before, now);
    for (const key of now.served.keys()) for (const replica of missing.listMissing(key)) silent.note(replica, true);
  };
  const listPresent = (served: ServedProcessor) => found.served.get(buildServedKey(served));
  const listReplicas = (served: ServedProcessor) => [
    ...(listPresent(served) ?? []),
    ...missing.listMissing(buildServedKey(served)),
  ];

  const survey = async (gatherMs: number) => {
    const now = await read(await gatherInfoBytes(bus, gatherMs), gatherMs);
    const before = found;
    found = now;
    log(found.refused);
    report(found.refused);
    void noteMissing(before, found);
  };
  const refresh = coalesceCalls(() => survey(GATHER_MS));
  const timer = setInterval(() => void refresh().catch(() => undefined), timings.discoveryMs).unref();

  return {
    getProcessors: () => found.processors,
    getTools: () => found.tools,
    listRefused: () => found.refused,
    findServiceOfTool: (tool) => found.tools.get(tool)?.service,
    isReplica: (served, replica) => listPresent(served)?.includes(replica) ?? false,
    isServedTogether(first, second) {
      if (first.service !== second.service) return false;
      const replicas = new Set(listPresent(first));
      return listPresent(second)?.some((replica) => replicas.has(replica)) ?? false;
    },
    async findAnsweringReplica(served, signal, failed) {
      const replicas = listPresent(served);
      if (!replicas || signal.aborted) return undefined;
      // Each on its own subject: the first replica of the service to answer may not serve this processor.
      const pings = replicas.map((replica) => ({ replica, answer: answersPing(bus, served.service, replica) }));
      const others = pings.filter(({ replica }) => replica !== failed).map(({ answer }) => answer);
      const another = await findFirstAnswer(others);
      return another ?? pings.find(({ replica }) => replica === failed)?.answer;
    },
    async findMissingReplicas(served, replica) {
      const replicas = listPresent(served);
      if (!replicas) return 'none';
      const asked = replica === undefined ? replicas : [replica];
      const absent = await Promise.all(asked.map((one) => hasLeft(bus, `${served.service}.${one}`, PING_MS)));
      if (absent.every(Boolean)) return 'all';
      return absent.some(Boolean) ? 'some' : 'none';
    },
    async hasSilent(served, replica) {
      if (!listPresent(served)) return false;
      const pings = listReplicas(served).map(async (one) => ({
        one,
        answer: await answersPing(bus, served.service, one),
      }));
      const asked = await Promise.all(pings);
      if (asked.every(({ answer }) => answer === undefined)) return false;
      for (const { one, answer } of asked) silent.note(one, answer === undefined);
      return asked.some(({ one, answer }) => answer === undefined && (replica === undefined || one === replica));
    },
    preferReplica: (served) => silent.preferAnswering(listReplicas(served)),
    refresh,
    refreshLonger: coalesceCalls(() => survey(LONG_GATHER_MS)),
    stop: () => clearInterval(timer),
  };
}

/**
 * A question in progress began before the call and may miss a service: it is repeated once for all callers that arrive
 * in the meantime.
 */
function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
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

/** Number of refusals that are remembered, so that each is logged once. */
const MAX_REMEMBERED = 1_000;

function createRefusalLog(bus: Bus): ReportRefused {
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

/** Returns its id, or undefined if it does not answer within `PING_MS`. */
async function answersPing(bus: Bus, service: string, replica: string): Promise<string | undefined> {
  const [ping] = await gatherPings(bus, `${service}.${replica}`, { gatherMs: PING_MS, max: 1 }).catch(() => []);
  return ping?.id;
}

function findFirstAnswer(answers: readonly Promise<string | undefined>[]): Promise<string | undefined> {
  return Promise.any(answers.map(async (answer) => (await answer) ?? Promise.reject(new Error('no answer')))).catch(
    () => undefined,
  );
}
