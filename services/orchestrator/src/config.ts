// Defines the environment of the orchestrator, and reads the settings of its parts from it.
import { LOG_SHARDS, MillraceError } from '@millrace/contracts';
import { providerEnvironmentSchema, readProviders, type Providers } from '@millrace/models';
import { z } from 'zod';
import { MAX_WAIT_HOURS } from './saves/deferred-saves.ts';

const maxBytes = z.coerce
  .number()
  .int()
  .min(1024 * 1024)
  .optional();

const ownConfigSchema = z.object({
  /** Path of the YAML or JSON file of budgets of money: docs/limits.md. The same for all orchestrators. */
  BUDGETS: z.string().min(1).optional(),
  /**
   * Concurrent runs; an eighth more is reserved for tenants that have no run at this orchestrator. Further runs stay in
   * the queue.
   */
  MAX_RUNS: z.coerce.number().int().min(1).max(10_000).default(64),
  /** Concurrent runs of one tenant on one orchestrator. Default: MAX_RUNS. */
  MAX_RUNS_PER_TENANT: z.coerce.number().int().min(1).max(10_000).optional(),
  /**
   * Queued and running runs of one tenant in one shard of the queue, on all orchestrators. The API rejects further
   * submissions.
   */
  MAX_QUEUED_RUNS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /**
   * Bytes of one tenant's queued and running requests that this orchestrator submitted. The API rejects further
   * submissions.
   */
  MAX_QUEUED_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .default(256 * 1024 * 1024),
  /**
   * Size limits of the streams, in bytes; the same for all orchestrators. Default: 1, 2 and 1 GiB, unless the streams
   * have limits already.
   */
  QUEUE_MAX_BYTES: maxBytes,
  LOG_MAX_BYTES: maxBytes,
  EVENTS_MAX_BYTES: maxBytes,
  /** Commands of one of the queue's 16 shards that all orchestrators together hold; the same for all orchestrators. */
  MAX_RUNS_IN_FLIGHT: z.coerce.number().int().min(100).max(1_000_000).default(20_000),
  /** Submissions per second of one tenant at this orchestrator. */
  RUNS_PER_SECOND: z.coerce.number().min(0.1).max(100_000).default(1_000),
  /** Concurrent checks of this orchestrator. */
  MAX_CHECKS: z.coerce.number().int().min(1).max(10_000).default(64),
  /** Concurrent checks of one tenant on this orchestrator. Default: half of MAX_CHECKS. */
  MAX_CHECKS_PER_TENANT: z.coerce.number().int().min(1).max(10_000).optional(),
  MAX_INPUT_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024),
  /**
   * Streams that hold the chunk log. The first start under a prefix stores the number. Default: the stored number, or
   * 1.
   */
  LOG_STREAMS: z.coerce.number().int().min(1).max(LOG_SHARDS).optional(),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Runs of all tenants that the index in memory holds; with more, lists of runs read all heads. 0: no index. */
  MAX_INDEXED_RUNS: z.coerce.number().int().min(0).max(10_000_000).default(250_000),
  /** Services that store data of resources: an erasure deletes it there, and is not done before all have answered. */
  ERASE_SERVICES: z
    .string()
    .default('message-history,semantic-recall,working-memory,guardrails')
    .transform((list) => list.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))),
  /** Time for which a memory's save is retried while its store is unavailable; after that it becomes a dead letter. */
  SAVES_WAIT_HOURS: z.coerce.number().positive().max(MAX_WAIT_HOURS).default(24),
});

export const configSchema = z.intersection(providerEnvironmentSchema, ownConfigSchema);

type OrchestratorConfig = z.output<typeof configSchema>;

/** An orchestrator without a provider would take runs from the others and fail them. @throws config-invalid */
export async function requireProviders(config: z.output<typeof providerEnvironmentSchema>): Promise<Providers> {
  const providers = await readProviders(config);
  if (providers.size > 0) return providers;
  throw new MillraceError('config-invalid', 'The orchestrator has no model provider.', {
    remedy:
      'Set the key of one (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY), OPENAI_BASE_URL for a compatible server, or PROVIDERS. `millrace scale orchestrator 2` starts a second one of npm start.',
  });
}

export const readTopologyOptions = (config: OrchestratorConfig) => ({
  replicas: config.STREAM_REPLICAS,
  maxQueuedRuns: config.MAX_QUEUED_RUNS,
  maxRunsInFlight: config.MAX_RUNS_IN_FLIGHT,
  maxBytes: { commands: config.QUEUE_MAX_BYTES, log: config.LOG_MAX_BYTES, events: config.EVENTS_MAX_BYTES },
});

export const readSubmitLimits = (config: OrchestratorConfig) => ({
  maxInputBytes: config.MAX_INPUT_BYTES,
  runsPerSecond: config.RUNS_PER_SECOND,
  maxQueuedBytes: config.MAX_QUEUED_BYTES,
});

export const readRunLimits = (config: OrchestratorConfig) => ({
  maxRuns: config.MAX_RUNS,
  maxRunsPerTenant: config.MAX_RUNS_PER_TENANT ?? config.MAX_RUNS,
});
