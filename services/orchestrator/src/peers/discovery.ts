// Who is there: processors and tools that running services advertise. Asked again every few seconds and on demand; used to
// resolve agents, to merge neighbours, and to find a second replica, never to decide whether an entry is called.
import {
  METADATA_KEY,
  endpointMetadataSchema,
  type EndpointMetadata,
  type ProcessorDescriptor,
  type SrvInfo,
  type ToolDefinition,
} from '@millrace/contracts';
import { gatherInfo, gatherPings, type Bus } from '@millrace/bus';

export type FoundProcessor = { descriptor: ProcessorDescriptor; service: string; replicas: string[] };

export type Discovery = {
  processors(): ReadonlyMap<string, FoundProcessor>;
  tools(): ReadonlyMap<string, ToolDefinition>;
  serviceOfTool(tool: string): string | undefined;
  /** Whether one replica serves both, so that one call can carry both. */
  together(first: string, second: string): boolean;
  /** A replica of the processor that answers a ping now: another one than `failed` where there is one. */
  replicaThatAnswers(processor: string, signal: AbortSignal, failed?: string): Promise<string | undefined>;
  refresh(): Promise<void>;
  stop(): void;
};

const REFRESH_MS = 5_000;
const GATHER_MS = 300;
const PING_MS = 250;

export function createDiscovery(bus: Bus): Discovery {
  let processors = new Map<string, FoundProcessor>();
  let tools = new Map<string, ToolDefinition>();
  let toolServices = new Map<string, string>();
  let servedBy = new Map<string, Set<string>>();
  let under: Promise<void> | undefined;

  const gatherAll = async () => {
    const infos = await gatherInfo(bus, { gatherMs: GATHER_MS });
    const found = infos.flatMap(endpointsOf);
    processors = new Map(collectProcessors(found).map((processor) => [processor.descriptor.id, processor]));
    tools = new Map(
      found.flatMap(({ metadata }) => (metadata.kind === 'tool' ? [[metadata.tool.name, metadata.tool]] : [])),
    );
    toolServices = new Map(
      found.flatMap(({ service, metadata }) => (metadata.kind === 'tool' ? [[metadata.tool.name, service]] : [])),
    );
    servedBy = new Map([...processors].map(([id, { replicas }]) => [id, new Set(replicas)]));
  };
  const refresh = () => (under ??= gatherAll().finally(() => (under = undefined)));
  const timer = setInterval(() => void refresh().catch(() => undefined), REFRESH_MS).unref();

  return {
    processors: () => processors,
    tools: () => tools,
    serviceOfTool: (tool) => toolServices.get(tool),
    together: (first, second) => [...(servedBy.get(first) ?? [])].some((replica) => servedBy.get(second)?.has(replica)),
    async replicaThatAnswers(processor, signal, failed) {
      const found = processors.get(processor);
      if (!found || signal.aborted) return undefined;
      // Each by its own subject: the first of the service to answer may be one that does not serve this processor.
      const pings = found.replicas.map((replica) => ({ replica, answer: answersPing(bus, found.service, replica) }));
      const others = pings.filter(({ replica }) => replica !== failed).map(({ answer }) => answer);
      const another = await firstThatAnswers(others);
      return another ?? pings.find(({ replica }) => replica === failed)?.answer;
    },
    refresh,
    stop: () => clearInterval(timer),
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

type Found = { service: string; replica: string; metadata: EndpointMetadata };

function endpointsOf(info: SrvInfo): Found[] {
  return info.endpoints.flatMap((endpoint) => {
    const text = endpoint.metadata?.[METADATA_KEY];
    const parsed = text === undefined ? undefined : endpointMetadataSchema.safeParse(parseJson(text));
    return parsed?.success ? [{ service: info.name, replica: info.id, metadata: parsed.data }] : [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function collectProcessors(found: Found[]): FoundProcessor[] {
  const byId = new Map<string, FoundProcessor>();
  for (const { service, replica, metadata } of found) {
    if (metadata.kind !== 'processor') continue;
    const known = byId.get(metadata.descriptor.id) ?? { descriptor: metadata.descriptor, service, replicas: [] };
    if (!known.replicas.includes(replica)) known.replicas.push(replica);
    byId.set(metadata.descriptor.id, known);
  }
  return [...byId.values()];
}
