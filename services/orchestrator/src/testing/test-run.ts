// A run for tests of modules that work on runs: a real one (createRun), over a store, a publisher and an event log that
// keep everything in lists. With a bus it can call processors and tools.
import type { Agent, Chunk, Plan, PlanEntry, RunAction, RunRequest, RunState } from '@millrace/contracts';
import type { Bus, JetStreamAccess } from '@millrace/bus';
import { onTestFinished } from 'vitest';
import type { Discovery } from '../peers/discovery.ts';
import { isTransient, type ChunkPublisher } from '../transcript/chunk-publisher.ts';
import type { EventLog } from '../state/event-log.ts';
import { createRun, type Deps, type Run } from '../state/run-context.ts';
import type { StopReason } from '../state/run-stop.ts';
import type { RunStore } from '../state/run-store.ts';
import { createSessionInbox, type SessionInbox } from '../peers/session-inbox.ts';
import { noSaves } from './no-saves.ts';
import { makePlan } from './plan-entries.ts';
import { createHead } from './run-heads.ts';
import { makeAgent, RUN_ID, makeState } from './run-states.ts';

type RecordedEvent = Parameters<EventLog['record']>[0];

export type TestRun = {
  run: Run;
  published: Chunk[];
  events: RecordedEvent[];
  /** The written actions, checkpoint by checkpoint. */
  records: RunAction[][];
  /** The log lines of all levels. */
  logged: string[];
  /** The store's handling of the next records: it may throw, and wait. */
  onRecord(write: () => Promise<void> | void): void;
  /** Writes the cancel key: the next checkpoint reads it. */
  askCancel(): void;
  stop(reason: StopReason): void;
  /** Requests a handover at the next checkpoint. */
  leave(): void;
  /** Sessions that the run has opened and not ended. */
  openSessions(): number;
  close(): void;
};

export type TestRunOptions = {
  entries?: readonly PlanEntry[];
  tools?: Plan['tools'];
  toolRules?: Plan['toolRules'];
  agent?: Partial<Agent>;
  request?: Partial<RunRequest>;
  bus?: Bus;
  discovery?: Partial<Discovery>;
  models?: Deps['models'];
  /** The state of its last checkpoint; absent: the run begins. */
  from?: RunState;
  /** From now, ms. */
  deadlineMs?: number;
  /** Called with published chunks before they are kept. */
  onPublish?: (chunks: readonly Chunk[]) => void;
};

/** Closes when the test ends. */
export function createTestRun(options: TestRunOptions = {}): TestRun {
  const { entries = [], tools = [], bus, discovery, onPublish, deadlineMs = 60_000 } = options;
  const agent = makeAgent(options.agent);
  const plan = { ...makePlan(entries, tools), ...(options.toolRules && { toolRules: options.toolRules }) };
  const published: Chunk[] = [];
  const events: RecordedEvent[] = [];
  const logged: string[] = [];
  const stop = new AbortController();
  let leaving = false;
  const log = (_fields: object, message: string) => void logged.push(message);
  const sessions = bus && createSessionInbox(bus);
  const open = new Set<string>();
  const close = () => sessions?.stop();
  if (sessions) onTestFinished(close);
  const kept = keepRecords();

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a test does not give, what it tests does not use
  const deps = {
    access: { bus, clock: { now: Date.now } },
    sessions: sessions && {
      ...sessions,
      open: (...args: Parameters<SessionInbox['open']>) => (open.add(args[0]), sessions.open(...args)),
      close: (session: string) => (open.delete(session), sessions.close(session)),
    },
    models: options.models,
    saves: noSaves,
    discovery: { ...noDiscovery, ...discovery },
    log: { debug: log, info: log, warn: log, error: log },
  } as unknown as Deps & { access: JetStreamAccess };
  const chunks: ChunkPublisher = {
    getNextIndex: () => published.filter((one) => !isTransient(one)).length,
    publish(more) {
      onPublish?.(more);
      published.push(...more);
    },
    publishLast: (chunk) => void published.push(chunk),
    flush: async () => undefined,
    close: () => undefined,
  };
  const first = options.from ?? makeState({ agent, plan, request: options.request });
  const { request, applied, firstIndex } = first;
  const run = createRun({
    ref: {
      tenant: 'acme',
      runId: RUN_ID,
      agent: agent.name,
      epoch: 1,
      resourceId: 'acme',
    },
    deadlineAt: performance.now() + deadlineMs,
    deps,
    chunks,
    events: { record: (event) => void events.push(event), flush: async () => undefined, close: () => undefined },
    signal: stop.signal,
    isLeaving: () => leaving,
    store: kept.store,
    first,
    unsaved: options.from ? [] : [{ action: 'begun', request, applied, firstIndex }],
  });
  return {
    run,
    published,
    events,
    records: kept.records,
    logged,
    onRecord: kept.onRecord,
    askCancel: kept.askCancel,
    stop: (reason) => stop.abort(reason),
    leave: () => void (leaving = true),
    openSessions: () => open.size,
    close,
  };
}

/** A store without a bucket. */
function keepRecords() {
  let head = createHead(RUN_ID);
  let write = (): Promise<void> | void => undefined;
  let isCancelled = false;
  const records: RunAction[][] = [];
  const store: RunStore = {
    getHead: () => head,
    async write(change) {
      head = { ...head, ...change, write: head.write + 1 };
    },
    async record(actions) {
      await write();
      records.push(actions);
      return { count: 1, cancelAsked: isCancelled };
    },
    keepEnd: async () => ({ name: 'end', revision: 1 }),
  };
  return {
    store,
    records,
    onRecord: (next: () => Promise<void> | void) => void (write = next),
    askCancel: () => void (isCancelled = true),
  };
}

/** Without known services: adjacent entries are not merged, and there is no second replica. */
const noDiscovery: Discovery = {
  getProcessors: () => new Map(),
  getTools: () => new Map(),
  listRefused: () => [],
  findServiceOfTool: () => 'tools',
  isReplica: () => false,
  isServedTogether: () => false,
  findAnsweringReplica: async () => undefined,
  findMissingReplicas: async () => 'none',
  hasSilent: async () => false,
  preferReplica: () => undefined,
  refresh: async () => undefined,
  refreshLonger: async () => undefined,
  stop: () => undefined,
};
