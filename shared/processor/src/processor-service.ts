// A service of processors, tools and public verbs from what it offers: configuration, serving, discovery and drain are the same
// for all of them, and are written here once.
import { serveVerbs, type ApiHandlers } from '@millrace/bus';
import { runService, type ServiceContext, type ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import type { ProcessorDefinition } from './processor-definition.ts';
import { advertiseService } from './serve/advertise-service.ts';
import { MAX_CALLS } from './serve/call-registry.ts';
import { serveProcessors } from './serve/serve-processors.ts';
import { serveTools } from './tools/serve-tools.ts';
import type { Tool } from './tools/tool-definition.ts';

/** What a service has. Everything may be absent. */
export type Offer = {
  processors?: readonly ProcessorDefinition[] | undefined;
  tools?: readonly Tool[] | undefined;
  /** Handlers of public verbs, for a service that owns data. */
  api?: ApiHandlers | undefined;
};

export type ProcessorServiceOptions<S extends z.ZodType<object>> = Offer & {
  /** A token; also the NATS service's name. */
  name: string;
  /** Semantic version; also of its processors that name none. */
  version: string;
  /** One sentence for discovery. Absent: what its first processor says of itself. */
  description?: string;
  /** The service's own part of the environment, beside what every service reads. */
  config?: S;
  /** Opens what the rest needs (stores, models) and says what that adds. What it opens it adds to `resources`. */
  open?(context: ServiceContext<z.output<S>>): Offer | Promise<Offer>;
};

const namesSchema = z
  .string()
  .transform((list) => list.split(',').map((name) => name.trim()))
  .optional();

/** What every such service reads, beside what every service reads. */
const selectionSchema = z.object({
  PROCESSORS: namesSchema.describe('the processors that this replica serves, by id, separated by commas; absent: all'),
  TOOLS: namesSchema.describe('the tools that this replica serves, by name, separated by commas; absent: all'),
  MAX_CALLS: z.coerce.number().int().min(1).max(100_000).default(MAX_CALLS),
});
type Selection = z.output<typeof selectionSchema>;

/** For `startService` in tests, and for `runService`. */
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

/** All of a service's main.ts. Ends the process: 0 after a signal and a drain, 1 with the reason. */
export function runProcessorService<S extends z.ZodType<object>>(options: ProcessorServiceOptions<S>): Promise<void> {
  return runService(processorService(options));
}

/**
 * A promise that a processor or tool has let go of belongs to no call. Node ends the process when it rejects; here that would be the
 * calls and sessions of all other runs.
 */
function outliveRejections({ log, resources }: Pick<ServiceContext<object>, 'log' | 'resources'>): void {
  const report = (error: unknown) =>
    log.error({ error: String(error) }, 'a promise that nobody waits for was rejected');
  process.on('unhandledRejection', report);
  resources.add('rejections', () => void process.off('unhandledRejection', report));
}

async function serveOffer<S extends z.ZodType<object>>(
  { bus, resources, config }: ServiceContext<Selection>,
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
  const tools = [...(options.tools ?? []), ...(opened.tools ?? [])];
  // The local stack gives one environment to all services: TOOLS does not concern a service that has none.
  const processorEndpoints =
    definitions.length > 0
      ? await serveProcessors({ bus, resources, version, definitions, only: PROCESSORS, drainGraceMs, maxCalls })
      : [];
  const toolEndpoints =
    tools.length > 0 ? serveTools({ bus, resources, tools, only: TOOLS, drainGraceMs, maxCalls }) : [];
  const endpoints = [...processorEndpoints, ...toolEndpoints, ...verbs];
  // Last: what is released first is what others find the rest by.
  advertiseService({ bus, resources, version, description, endpoints, limits: { maxCalls } });
}
