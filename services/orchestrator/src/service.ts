// The orchestrator as a service: what it opens, serves and closes, in order.
import { LOG_SHARDS } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import {
  advertise,
  answerPeers,
  consumeCommands,
  consumeExpiries,
  ensureTopology,
  guardTopology,
  openJetStream,
  serveApi,
  watchRunShards,
  type Endpoint,
  type Serving,
} from '@millrace/bus';
import type { ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { openAgentStore } from './agents/agent-store.ts';
import { createAgentsApi } from './api/agents-api.ts';
import { createDeadLettersApi } from './api/dead-letters-api.ts';
import { createInspectVerb, serveReports } from './api/inspect-run.ts';
import { createRunsApi } from './api/runs-api.ts';
import { createSubmitGuard } from './api/submit-limits.ts';
import { createDiscovery } from './peers/discovery.ts';
import { createFlushTick } from './state/flush-tick.ts';
import { expireRun } from './run/expire-run.ts';
import { startSaver } from './run/save-later.ts';
import { createDrivenRuns } from './state/driven-runs.ts';
import { MAX_WAIT_HOURS, openPutOffSaves } from './state/put-off-saves.ts';
import { createRunConsumer } from './run/run-consumer.ts';
import { startLogTrimmer } from './state/trim-log.ts';
import { createSessionInbox } from './peers/session-inbox.ts';
import { watchPeers } from './takeover/watch-peers.ts';

const maxBytes = z.coerce
  .number()
  .int()
  .min(1024 * 1024)
  .optional();

const configSchema = z.object({
  OPENAI_API_KEY: z.string().default('none'),
  OPENAI_BASE_URL: z.url().optional(),
  /** Runs at once, and an eighth more for tenants that have no run at this orchestrator; further ones stay in the queue. */
  MAX_RUNS: z.coerce.number().int().min(1).max(10_000).default(64),
  /** Of one tenant, on one orchestrator; absent: as many as MAX_RUNS. */
  MAX_RUNS_PER_TENANT: z.coerce.number().int().min(1).max(10_000).optional(),
  /** Of one tenant in one shard of the queue, waiting and running, on all orchestrators; a submission beyond it is refused. */
  MAX_QUEUED_RUNS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /** Of one tenant's runs that wait or are in flight, as far as this orchestrator submitted them; a submission beyond it is refused. */
  MAX_QUEUED_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .default(256 * 1024 * 1024),
  /** Limits of the streams, bytes; absent: a default (1, 2 and 1 GiB), unless they have limits already. The same for all orchestrators. */
  QUEUE_MAX_BYTES: maxBytes,
  LOG_MAX_BYTES: maxBytes,
  EVENTS_MAX_BYTES: maxBytes,
  /** Commands of one shard of the queue (of 16) that all orchestrators together hold; the same for all orchestrators. */
  MAX_RUNS_IN_FLIGHT: z.coerce.number().int().min(100).max(1_000_000).default(20_000),
  /** Of one tenant, at this orchestrator. */
  RUNS_PER_SECOND: z.coerce.number().min(0.1).max(100_000).default(1_000),
  MAX_INPUT_BYTES: z.coerce
    .number()
    .int()
    .min(1_024)
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024),
  /** Streams that hold the chunk log: for the first start under a prefix, which stores it; absent: as stored, or 1. */
  LOG_STREAMS: z.coerce.number().int().min(1).max(LOG_SHARDS).optional(),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** How long a memory's save is tried again while its store is away; then it is a dead letter. */
  SAVES_WAIT_HOURS: z.coerce.number().positive().max(MAX_WAIT_HOURS).default(24),
});

const VERSION = '0.1.0';

export const service: ServiceDefinition<typeof configSchema> = {
  name: 'orchestrator',
  version: VERSION,
  config: configSchema,
  async start({ config, bus, log, resources, draining, watchHealth }) {
    const access = await openJetStream(bus, { logStreams: config.LOG_STREAMS });
    const topology = {
      replicas: config.STREAM_REPLICAS,
      maxQueuedRuns: config.MAX_QUEUED_RUNS,
      maxRunsInFlight: config.MAX_RUNS_IN_FLIGHT,
      maxBytes: { commands: config.QUEUE_MAX_BYTES, log: config.LOG_MAX_BYTES, events: config.EVENTS_MAX_BYTES },
    };
    await ensureTopology(access, topology);
    const discovery = createDiscovery(bus);
    resources.add('discovery', () => discovery.stop());
    const agents = await openAgentStore(access);
    resources.add('agents', () => agents.stop());
    const saves = await openPutOffSaves(access);
    resources.add('saves', () => saves.stop());
    const restored = async () => void (await Promise.all([agents.reload(), saves.reload()]));
    const guard = guardTopology(access, { ...topology, restored });
    resources.add('topology', () => guard.stop());
    watchHealth(guard.problem);
    const sessions = createSessionInbox(bus);
    resources.add('sessions', () => sessions.stop());
    const models = createModels({ apiKey: config.OPENAI_API_KEY, baseUrl: config.OPENAI_BASE_URL });

    const driven = createDrivenRuns();
    const reports = serveReports(bus, driven);
    resources.add('reports', (remainingMs) => reports.drain(remainingMs()));
    const deps = { access, models, discovery, sessions, saves, log, agents, driven, tick: createFlushTick() };
    const stopSaving = startSaver(deps, { giveUpAfterMs: config.SAVES_WAIT_HOURS * 3_600_000 });
    resources.add('saver', stopSaving);
    const limits = { maxRuns: config.MAX_RUNS, maxRunsPerTenant: config.MAX_RUNS_PER_TENANT ?? config.MAX_RUNS };
    const consumer = createRunConsumer(deps, limits, draining);
    // Released after the runs: a peer that has no answer any more has no runs either.
    const peers = answerPeers(bus);
    resources.add('answers to peers', () => peers.stop());
    resources.add('runs', (remainingMs) => consumer.drain(remainingMs()));
    const shards = watchRunShards(access);
    resources.add('shards of commands', () => shards.stop());
    const trimmer = startLogTrimmer(access);
    resources.add('trimmer of the chunk log', () => trimmer.stop());
    await discovery.refresh();
    const refuse = (error: Error, subject: string) =>
      log.error({ subject, error: error.message }, 'a command was refused');
    const consuming = consumeCommands(access, { room: consumer.room, take: consumer.take, refuse }, draining);
    resources.add('commands', () => consuming);
    const watching = watchPeers(access);
    resources.add('watch of peers', () => watching.stop());
    const expiring = consumeExpiries(access, (expiry) => expireRun(access, expiry), draining);
    resources.add('expiries', () => expiring);

    const submitLimits = {
      maxInputBytes: config.MAX_INPUT_BYTES,
      runsPerSecond: config.RUNS_PER_SECOND,
      maxQueuedBytes: config.MAX_QUEUED_BYTES,
    };
    const submits = createSubmitGuard(submitLimits, access.runShards.queuedBytes);
    const runs = createRunsApi(access, agents, submits);
    const letters = createDeadLettersApi(access, saves, runs.submit);
    const definitions = createAgentsApi(agents, discovery);
    const verbs: Serving[] = [
      serveApi(bus, 'submit', runs.submit),
      serveApi(bus, 'run', runs.run),
      serveApi(bus, 'inspect', createInspectVerb(access, saves)),
      serveApi(bus, 'cancel', runs.cancel),
      serveApi(bus, 'resume', runs.resume),
      serveApi(bus, 'answer', runs.answer),
      serveApi(bus, 'release', runs.release),
      serveApi(bus, 'suspended-list', runs.suspendedList),
      serveApi(bus, 'replay', runs.replay),
      serveApi(bus, 'events', runs.events),
      serveApi(bus, 'events-detail', runs.eventsDetail),
      serveApi(bus, 'runs-list', runs.list),
      serveApi(bus, 'saves-list', letters.saves),
      serveApi(bus, 'dead-letters-list', letters.list),
      serveApi(bus, 'dead-letters-retry', letters.retry),
      serveApi(bus, 'agents-apply', definitions.apply),
      serveApi(bus, 'agents-list', definitions.list),
      serveApi(bus, 'agents-delete', definitions.delete),
      serveApi(bus, 'agents-get', definitions.get),
      serveApi(bus, 'agents-plan', definitions.plan),
    ];
    resources.add('api', async (remainingMs) => {
      await Promise.all(verbs.map((verb) => verb.drain(remainingMs())));
    });
    const endpoints = verbs.map(apiEndpoint);
    const description = 'Runs agents: publishes each stage of a run, applies verdicts, streams chunks.';
    resources.add(
      'discovery answers',
      advertise(bus, { name: bus.name, version: VERSION, description, endpoints: () => endpoints }),
    );
  },
};

function apiEndpoint(serving: Serving): Endpoint {
  const verb = serving.subject.split('.').find((_token, at, all) => all[at - 1] === 'api') ?? 'api';
  return { name: `api-${verb}`, queue: `api-${verb}`, serving, metadata: { kind: 'api' } };
}
