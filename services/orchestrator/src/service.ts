// Opens, serves and closes the parts of the orchestrator, in order.
import { createModels } from '@millrace/models';
import {
  advertise,
  answerPeers,
  consumeCommands,
  consumeExpiries,
  ensureTopology,
  guardTopology,
  openJetStream,
  serveVerbs,
  watchRunShards,
  type ApiHandlers,
  type JetStreamAccess,
} from '@millrace/bus';
import type { ServiceContext, ServiceDefinition } from '@millrace/service';
import { configSchema, readRunLimits, readSubmitLimits, readTopologyOptions, requireProviders } from './config.ts';
import { openAgentStore, type AgentStore } from './agents/agent-store.ts';
import { createAgentsApi } from './api/agents-api.ts';
import { createDeadLettersApi } from './api/dead-letters-api.ts';
import { createInspectVerb } from './api/inspect-run.ts';
import { createProcessorsVerb } from './api/processors-api.ts';
import { openRunIndex, type RunIndex } from './api/run-index.ts';
import { createModelsVerb } from './api/list-models.ts';
import { createStatusVerb } from './api/read-status.ts';
import { createRunsApi } from './api/runs-api.ts';
import { createSubmitGuard, type SubmitGuard } from './api/submit-limits.ts';
import { createCheckPlaces, type CheckPlaces } from './check/check-limits.ts';
import { createCheckVerb } from './check/check-verb.ts';
import { createToolCallVerb } from './check/call-tool-verb.ts';
import { createTryVerb } from './check/try-verb.ts';
import { createDeleteVerb } from './erase/delete-verb.ts';
import { createEraseVerb } from './erase/erase-verb.ts';
import { startEraser } from './erase/eraser.ts';
import { readBudgetRules } from './budgets/budget-rules.ts';
import { openBudgets } from './budgets/budgets.ts';
import { openCircuits, type Circuits } from './circuits/circuits.ts';
import { openErasures, type Erasures } from './erase/erasures.ts';
import { createClaimLog, listClaims } from './state/claim-events.ts';
import { createDiscovery, type Discovery } from './peers/discovery.ts';
import { createLoadReader } from './peers/replica-loads.ts';
import { createFlushTick } from './transcript/flush-tick.ts';
import { serveReports } from './takeover/ask-owner.ts';
import { expireRun } from './takeover/expire-run.ts';
import { startSaver } from './saves/retry-saves.ts';
import { createDrivenRuns } from './state/driven-runs.ts';
import { openDeferredSaves, type DeferredSaves } from './saves/deferred-saves.ts';
import type { Deps } from './state/run-context.ts';
import { createRunConsumer } from './takeover/run-consumer.ts';
import { pageBytes } from './transcript/logged-chunks.ts';
import { startLogTrimmer } from './transcript/trim-log.ts';
import { createSchemaChecker } from './peers/schema-checker.ts';
import { createSessionInbox } from './peers/session-inbox.ts';
import { watchPeers } from './takeover/watch-peers.ts';

const VERSION = '0.1.0';

export const service: ServiceDefinition<typeof configSchema> = {
  name: 'orchestrator',
  version: VERSION,
  config: configSchema,
  async start({ config, bus, log, resources, draining, watchHealth }) {
    const models = createModels({ providers: await requireProviders(config) });
    const rules = await readBudgetRules(config.BUDGETS);
    const access = await openJetStream(bus, { logStreams: config.LOG_STREAMS });
    const topology = readTopologyOptions(config);
    await ensureTopology(access, topology);
    const discovery = createDiscovery(bus, createClaimLog(access));
    resources.add('discovery', () => discovery.stop());
    const stores = await openStores(access, { log, resources });
    const { agents, saves, erasures, circuits } = stores;
    const budgets = openBudgets({ access, rules, log });
    resources.add('budgets', budgets.stop);
    const index = openRunIndex(access, { maxRuns: config.MAX_INDEXED_RUNS });
    resources.add('index of runs', () => index.stop());
    const reloadStores = async () => {
      index.reload();
      await Promise.all(Object.values(stores).map((store) => store.reload()));
    };
    const guard = guardTopology(access, { ...topology, onRestored: reloadStores });
    resources.add('topology', () => guard.stop());
    watchHealth(guard.findProblem);
    const sessions = createSessionInbox(bus);
    resources.add('sessions', () => sessions.stop());

    const driven = createDrivenRuns();
    const reports = serveReports(bus, driven);
    resources.add('reports', (remainingMs) => reports.drain(remainingMs()));
    const deps = {
      access,
      models,
      discovery,
      sessions,
      saves,
      log,
      agents,
      driven,
      erasures,
      circuits,
      budgets,
      tick: createFlushTick(),
    };
    const stopSaving = startSaver(deps, { giveUpAfterMs: config.SAVES_WAIT_HOURS * 3_600_000 });
    resources.add('saver', stopSaving);
    resources.add('eraser', startEraser({ access, erasures, saves, services: config.ERASE_SERVICES }));
    const consumer = createRunConsumer(deps, readRunLimits(config), draining);
    // Released after the runs: if a peer gets no answer any more, this orchestrator has no runs either.
    const peers = answerPeers(bus);
    resources.add('answers to peers', () => peers.stop());
    resources.add('runs', (remainingMs) => consumer.drain(remainingMs()));
    const shards = watchRunShards(access);
    resources.add('shards of commands', () => shards.stop());
    const trimmer = startLogTrimmer(access);
    resources.add('trimmer of the chunk log', () => trimmer.stop());
    await discovery.refresh();
    const refuse = (error: Error, subject: string) => log.error({ subject, error: error.message }, 'command refused');
    const consuming = consumeCommands(access, { awaitRoom: consumer.awaitRoom, take: consumer.take, refuse }, draining);
    resources.add('commands', () => consuming);
    const watching = watchPeers(access);
    resources.add('watch of peers', () => watching.stop());
    const expiring = consumeExpiries(access, (expiry) => expireRun(access, expiry), draining);
    resources.add('expiries', () => expiring);

    const submits = createSubmitGuard(readSubmitLimits(config), access.runShards.countQueuedBytes);
    const places = createCheckPlaces({
      maxChecks: config.MAX_CHECKS,
      maxChecksPerTenant: config.MAX_CHECKS_PER_TENANT ?? Math.ceil(config.MAX_CHECKS / 2),
    });
    const endpoints = serveVerbs(
      bus,
      createHandlers(
        { access, saves, agents, discovery, erasures, index, deps, places, circuits, findProblem: guard.findProblem },
        submits,
      ),
    );
    resources.add('api', async (remainingMs) => {
      await Promise.all(endpoints.map(({ serving }) => serving.drain(remainingMs())));
    });
    const description = 'Runs agents: publishes each stage of a run, applies verdicts, streams chunks.';
    resources.add(
      'discovery answers',
      advertise(bus, { name: bus.name, version: VERSION, description, endpoints: () => endpoints }),
    );
  },
};

type ApiParts = {
  access: JetStreamAccess;
  saves: DeferredSaves;
  agents: AgentStore;
  discovery: Discovery;
  erasures: Erasures;
  index: RunIndex;
  deps: Deps;
  places: CheckPlaces;
  circuits: Circuits;
  /** Why the streams do not accept writes. */
  findProblem: () => string | undefined;
};

function createHandlers(parts: ApiParts, submits: SubmitGuard): ApiHandlers {
  const { access, saves, agents, discovery, erasures, index, deps, places, circuits, findProblem } = parts;
  const schemas = createSchemaChecker();
  const runs = createRunsApi({ access, agents, submits, budgets: deps.budgets, schemas, discovery, index });
  const letters = createDeadLettersApi(access, saves, runs.submit);
  const definitions = createAgentsApi(agents, discovery, schemas, deps.models);
  return {
    submit: runs.submit,
    run: runs.run,
    inspect: createInspectVerb(access, saves),
    cancel: runs.cancel,
    resume: runs.resume,
    answer: runs.answer,
    release: runs.release,
    delete: createDeleteVerb(access),
    'suspended-list': runs.suspendedList,
    replay: runs.replay,
    events: runs.events,
    'events-detail': runs.eventsDetail,
    changes: runs.changes,
    'runs-list': runs.list,
    'runs-newest': runs.newest,
    'saves-list': letters.saves,
    'dead-letters-list': letters.list,
    'dead-letters-retry': letters.retry,
    'agents-apply': definitions.apply,
    'agents-list': definitions.list,
    'agents-delete': definitions.delete,
    'agents-get': definitions.get,
    'agents-plan': definitions.plan,
    check: createCheckVerb({ deps, agents, submits, places }),
    'processors-try': createTryVerb({ deps, discovery, submits, places }),
    'tools-call': createToolCallVerb({ deps, discovery, submits, places }),
    models: createModelsVerb({ agents, models: deps.models, circuits, now: access.clock.now }),
    status: createStatusVerb({ access, version: VERSION, findProblem }),
    erase: createEraseVerb(erasures),
    processors: createProcessorsVerb({
      discovery,
      maxBytes: pageBytes(access),
      readClaims: () => listClaims(access),
      readLoads: createLoadReader(access.bus),
    }),
  };
}

type StoreParts = Pick<ServiceContext<unknown>, 'log' | 'resources'>;

/** Opens the copies of the buckets that all orchestrators share. */
async function openStores(access: JetStreamAccess, { log, resources }: StoreParts) {
  const agents = await openAgentStore(access);
  resources.add('agents', () => agents.stop());
  const saves = await openDeferredSaves(access);
  resources.add('saves', () => saves.stop());
  const erasures = await openErasures(access);
  resources.add('erasures', () => erasures.stop());
  const circuits = await openCircuits({ access, log });
  resources.add('circuits', () => circuits.stop());
  return { agents, saves, erasures, circuits };
}
