// Runs a service of processors, tools and public verbs: configuration, serving, discovery and drain are the same for
// all of them and are implemented here.
import {
  serveForget,
  serveVerbs,
  type ApiHandlers,
  type ForgetHandler,
  advertise,
  type Bus,
  type MicroEndpoint,
} from '@millrace/bus';
import { runService, type ServiceContext, type ServiceDefinition, type Resources } from '@millrace/service';
import { z } from 'zod';
import type { ProcessorDefinition } from './processor/processor-definition.ts';
import { MAX_CALLS } from './serve/call-registry.ts';
import { serveProcessors } from './serve/serve-processors.ts';
import type { PartProblem, ServiceLimits } from '@millrace/contracts';
import { serveTools } from './tools/serve-tools.ts';
import type { Tool } from './tools/tool-definition.ts';

/** Content of a service. All members are optional. */
export type Offer = {
  processors?: readonly ProcessorDefinition[] | undefined;
  tools?: readonly Tool[] | undefined;
  /** Handlers of public verbs, for a service that owns data. */
  api?: ApiHandlers | undefined;
  /** Deletes the data of a thread or of messages from the service. */
  forget?: ForgetHandler | undefined;
};

export type ProcessorServiceOptions<S extends z.ZodType<object>> = Offer & {
  /** A token; also the NATS service's name. */
  name: string;
  /** Semantic version; also of its processors that name none. */
  version: string;
  /** One sentence for discovery. Default: the description of its first processor. */
  description?: string;
  /** Configuration of the service, in addition to the common variables. */
  config?: S;
  /** Opens dependencies (stores, models) and returns additional content. Adds what it opens to `resources`. */
  open?(context: ServiceContext<z.output<S>>): Offer | Promise<Offer>;
};

const namesSchema = z
  .string()
  .transform((list) => list.split(',').map((name) => name.trim()))
  .optional();

/** Variables of every processor service, in addition to the common variables. */
const selectionSchema = z.object({
  PROCESSORS: namesSchema.describe('ids of the processors that this replica serves, comma-separated. Default: all'),
  TOOLS: namesSchema.describe('names of the tools that this replica serves, comma-separated. Default: all'),
  MAX_CALLS: z.coerce.number().int().min(1).max(100_000).default(MAX_CALLS),
});
type Selection = z.output<typeof selectionSchema>;

/** For `startService` in tests and for `runService`. */
export function processorService<S extends z.ZodType<object>>(
  options: ProcessorServiceOptions<S>,
): ServiceDefinition<z.ZodType<Selection & z.output<S>>> {
  const { name, version, config } = options;
  return {
    name,
    version,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a schema of its own a service reads nothing more
    config: z.intersection(selectionSchema, config ?? (z.object({}) as unknown as S)),
    start: async (context) => {
      outliveRejections(context);
      await serveOffer(context, options, await options.open?.(context));
    },
  };
}

/** Runs a service's whole main.ts. Ends the process: 0 after a signal and a drain, 1 with the reason. */
export function runProcessorService<S extends z.ZodType<object>>(options: ProcessorServiceOptions<S>): Promise<void> {
  return runService(processorService(options));
}

/**
 * An unhandled rejection in a processor or tool belongs to no call. Node would end the process, and with it the calls
 * and sessions of all other runs.
 */
function outliveRejections({ log, resources }: Pick<ServiceContext<object>, 'log' | 'resources'>): void {
  const report = (error: unknown) => log.error({ error: String(error) }, 'unhandled promise rejection');
  process.on('unhandledRejection', report);
  resources.add('rejections', () => void process.off('unhandledRejection', report));
}

async function serveOffer<S extends z.ZodType<object>>(
  { bus, resources, config, listProblems }: ServiceContext<Selection>,
  options: ProcessorServiceOptions<S>,
  opened: Offer = {},
): Promise<void> {
  const { version } = options;
  const definitions = [...(options.processors ?? []), ...(opened.processors ?? [])];
  const description = options.description ?? definitions[0]?.description ?? '';
  const { DRAIN_GRACE_MS: drainGraceMs, PROCESSORS, TOOLS, MAX_CALLS: maxCalls } = config;

  const verbs = serveVerbs(bus, { ...options.api, ...opened.api });
  resources.add('api', async (remainingMs) => {
    await Promise.all(verbs.map(({ serving }) => serving.drain(remainingMs())));
  });
  const forget = opened.forget ?? options.forget;
  if (forget) {
    const forgetting = serveForget(bus, forget);
    resources.add('deletions', (remainingMs) => forgetting.drain(remainingMs()));
  }
  const tools = [...(options.tools ?? []), ...(opened.tools ?? [])];
  // The local stack passes one environment to all services: TOOLS does not apply to a service without tools.
  const processorEndpoints =
    definitions.length > 0
      ? await serveProcessors({ bus, resources, version, definitions, only: PROCESSORS, drainGraceMs, maxCalls })
      : [];
  const toolEndpoints =
    tools.length > 0 ? serveTools({ bus, resources, tools, only: TOOLS, drainGraceMs, maxCalls }) : [];
  const endpoints = [...processorEndpoints, ...toolEndpoints, ...verbs];
  // Advertises last, because resources are released in reverse order: clients must stop finding the service first.
  advertiseService({ bus, resources, version, description, endpoints, limits: { maxCalls }, problems: listProblems });
}

export type AdvertiseServiceOptions = {
  bus: Bus;
  resources: Resources;
  /** The service's version and one sentence about it. */
  version: string;
  description: string;
  endpoints: MicroEndpoint[];
  limits: ServiceLimits;
  /** Parts that the process cannot serve. */
  problems?: () => readonly PartProblem[];
};

/**
 * Advertises the processors, tools and public verbs of a process to discovery. Call it last: resources are released in
 * reverse order, and clients must stop finding the service first.
 */
export function advertiseService({
  bus,
  resources,
  version,
  description,
  endpoints,
  limits,
  problems,
}: AdvertiseServiceOptions): void {
  resources.add(
    'discovery',
    advertise(bus, {
      name: bus.name,
      version,
      description,
      limits,
      endpoints: () => endpoints,
      ...(problems && { problems }),
    }),
  );
}
