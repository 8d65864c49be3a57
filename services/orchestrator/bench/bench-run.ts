// A run with only the parts that the measured modules need: a plan of pass-through processors, no state store, no
// streams.
import type { Agent, Plan, PlanEntry, RunState, Stage } from '@millrace/contracts';
import { connectBus, openJetStream, type Bus } from '@millrace/bus';
import { createModels } from '@millrace/models';
import { createDiscovery } from '../src/peers/discovery.ts';
import { createDrivenRuns } from '../src/state/driven-runs.ts';
import { createRunActivity } from '../src/state/run-activity.ts';
import { createOverlap } from '../src/state/overlap.ts';
import { createObserverQueues } from '../src/state/observer-queues.ts';
import { createRunTranscript } from '../src/transcript/run-transcript.ts';
import { createInitialState } from '../src/state/run-state.ts';
import type { Run } from '../src/state/run-context.ts';
import { noSaves } from '../src/testing/no-saves.ts';
import { createSessionInbox } from '../src/peers/session-inbox.ts';

const DEADLINE_MS = 600_000;
const silent = { getNextIndex: () => 0, publish() {}, publishLast() {}, flush: async () => undefined, close() {} };

export type BenchBus = {
  bus: Bus;
  createRun(processors: readonly string[], stage: Stage): Run;
  close(): Promise<void>;
};

export async function openBench(natsUrl: string): Promise<BenchBus> {
  const bus = await connectBus({ servers: natsUrl, name: 'bench' });
  const access = await openJetStream(bus);
  const discovery = createDiscovery(bus);
  await discovery.refresh();
  const sessions = createSessionInbox(bus);
  const models = createModels({ apiKey: 'none' });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const driven = createDrivenRuns();
  const agents = { getAtLeast: async () => undefined };
  const deps = { access, models, discovery, sessions, saves: noSaves, log, agents, driven };
  let count = 0;
  return {
    bus,
    createRun: (processors, stage) => createRun(deps, `bench-${count++}`, makePlan(processors, stage)),
    async close() {
      discovery.stop();
      sessions.stop();
      await bus.close();
    },
  };
}

const AGENT: Agent = {
  name: 'bench',
  model: 'openai/none',
  instructions: [],
  tools: [],
  input: [],
  output: [],
  error: [],
  callerRoles: ['user', 'assistant', 'tool'],
  maxSteps: 5,
};

function createRun(deps: Run['deps'], runId: string, plan: Plan): Run {
  const ref = { tenant: 'default', runId, agent: 'bench', epoch: 1, resourceId: 'default' };
  const request = {
    runId,
    tenant: 'default',
    agent: 'bench',
    messages: [],
    requestContext: {},
    deadlineMs: DEADLINE_MS,
  };
  const applied = { agent: AGENT, plan, revision: 1, appliedAt: '' };
  let state: RunState = createInitialState({ request, applied, firstIndex: 1 });
  const getState = () => state;
  const dispatch = () => void (state = { ...state });
  return {
    ref,
    deadlineAt: Date.now() + DEADLINE_MS,
    agent: AGENT,
    plan,
    deps,
    activity: createRunActivity(),
    transcript: createRunTranscript({ ref, agent: AGENT, publisher: silent, getState, dispatch }),
    events: { record() {}, flush: async () => undefined, close() {} },
    observers: createObserverQueues(),
    overlap: createOverlap(),
    signal: new AbortController().signal,
    readMinAbsentMs: () => 0,
    saving: { begun: false, asked: false },
    getState,
    dispatch,
    checkInterruption: () => undefined,
    checkpoint: async () => undefined,
    beginCheckpoint() {},
    awaitCheckpoint: async () => undefined,
    isLeaving: () => false,
    handOverIfLeaving: async () => undefined,
    serialize: (work) => work(),
  };
}

function makePlan(processors: readonly string[], stage: Stage): Plan {
  const entries = processors.map((processor): PlanEntry => ({
    entry: processor,
    processor,
    service: processor,
    version: '0.1.0',
    lists: ['output'],
    stages: [stage],
    reads: ['input'],
    processDataParts: false,
    options: {},
    required: false,
    memory: false,
    timeoutMs: 5_000,
    attempts: 1,
    onFailure: 'fail',
  }));
  return {
    entries: Object.fromEntries(entries.map((entry) => [entry.entry, entry])),
    order: { [stage]: processors.map(String) },
    tools: [],
  };
}
