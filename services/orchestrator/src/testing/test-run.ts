// A run for tests of what works on runs: its state is real, what it publishes and records is kept in lists. With a bus it can call
// processors and tools; it stores nothing.
import type { Agent, Chunk, Plan, PlanEntry, RunAction, RunState } from '@millrace/contracts';
import type { Bus, JetStreamAccess } from '@millrace/bus';
import type { Discovery } from '../peers/discovery.ts';
import type { EventLog } from '../state/event-log.ts';
import { endWith, fail, type Interrupt } from '../state/interrupt.ts';
import { reduceRun } from '../state/run-state.ts';
import type { Deps, Run, StopReason } from '../state/run-context.ts';
import { createSessionInbox, type SessionInbox } from '../peers/session-inbox.ts';
import { planOf } from './plan-entries.ts';
import { agentOf, RUN_ID, stateOf } from './run-states.ts';

type RecordedEvent = Parameters<EventLog['record']>[0];

export type TestRun = {
  run: Run;
  published: Chunk[];
  events: RecordedEvent[];
  actions: RunAction[];
  /** What `log` was told, all levels. */
  logged: string[];
  /** What the next checkpoint answers, or throws. */
  atCheckpoint(answer: () => Promise<Interrupt | undefined>): void;
  stop(reason: StopReason): void;
  /** Sessions that the run has opened and not ended. */
  openSessions(): number;
  close(): void;
};

export type TestRunOptions = {
  entries?: readonly PlanEntry[];
  tools?: Plan['tools'];
  agent?: Partial<Agent>;
  bus?: Bus;
  discovery?: Partial<Discovery>;
  models?: Deps['models'];
  /** What becomes of published chunks before they are kept. */
  onPublish?: (chunks: readonly Chunk[]) => void;
};

export function createTestRun(options: TestRunOptions = {}): TestRun {
  const { entries = [], tools = [], bus, discovery, onPublish } = options;
  const agent = agentOf(options.agent);
  const plan = planOf(entries, tools);
  let state: RunState = stateOf({ agent, plan });
  const published: Chunk[] = [];
  const events: RecordedEvent[] = [];
  const actions: RunAction[] = [];
  const logged: string[] = [];
  const stop = new AbortController();
  const log = (_fields: object, message: string) => void logged.push(message);
  const sessions = bus && createSessionInbox(bus);
  const open = new Set<string>();
  let checkpoint = async (): Promise<Interrupt | undefined> => undefined;
  let turn: Promise<unknown> = Promise.resolve();

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a test does not give, what it tests does not use
  const deps = {
    access: { bus },
    sessions: sessions && {
      ...sessions,
      open: (...args: Parameters<SessionInbox['open']>) => (open.add(args[0]), sessions.open(...args)),
      close: (session: string) => (open.delete(session), sessions.close(session)),
    },
    models: options.models,
    discovery: { ...noDiscovery, ...discovery },
    log: { debug: log, info: log, warn: log, error: log },
  } as unknown as Deps & { access: JetStreamAccess };
  const run: Run = {
    ref: {
      tenant: 'acme',
      runId: RUN_ID,
      agent: agent.name,
      epoch: 1,
      resourceId: 'acme',
      deadlineAt: Date.now() + 60_000,
    },
    agent,
    plan,
    deps,
    chunks: {
      nextIndex: () => published.length,
      publish(chunks) {
        onPublish?.(chunks);
        published.push(...chunks);
      },
      flush: async () => undefined,
      close: () => undefined,
    },
    events: { record: (event) => void events.push(event), flush: async () => undefined },
    signal: stop.signal,
    state: () => state,
    dispatch(action) {
      actions.push(action);
      state = reduceRun(state, action);
    },
    interruption() {
      if (!stop.signal.aborted) return undefined;
      const isLate = stop.signal.reason === ('deadline' satisfies StopReason);
      return isLate ? fail({ code: 'run-deadline-exceeded', message: 'late' }) : endWith({ form: 'cancel' });
    },
    checkpoint: () => checkpoint(),
    inTurn(work) {
      const mine = turn.then(work);
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
  return {
    run,
    published,
    events,
    actions,
    logged,
    atCheckpoint: (answer) => void (checkpoint = answer),
    stop: (reason) => stop.abort(reason),
    openSessions: () => open.size,
    close: () => sessions?.stop(),
  };
}

/** Nobody is known: no neighbours, no second replica. */
const noDiscovery: Discovery = {
  processors: () => new Map(),
  tools: () => new Map(),
  serviceOfTool: () => undefined,
  together: () => false,
  replicaThatAnswers: async () => undefined,
  refresh: async () => undefined,
  stop: () => undefined,
};
