// One run on this orchestrator: its state and its dependencies. Only `dispatch` changes the state; a checkpoint makes
// all changes so far durable.
import {
  timings,
  WAITING_CHUNK,
  type Agent,
  type AppliedAgent,
  type Plan,
  type RunAction,
  type RunHead,
  type RunRef,
  type RunState,
  type KeptSave,
  type PutOffSave,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import type { Models } from '@millrace/models';
import type { Budgets } from '../budgets/budgets.ts';
import type { Circuits } from '../circuits/circuits.ts';
import type { Discovery } from '../peers/discovery.ts';
import type { SessionInbox } from '../peers/session-inbox.ts';
import type { ChunkPublisher } from '../transcript/chunk-publisher.ts';
import type { DrivenRuns } from './driven-runs.ts';
import type { ChangeLog } from '../changes/change-log.ts';
import type { EventLog } from './event-log.ts';
import type { FlushTick } from '../transcript/flush-tick.ts';
import { failInOwnWords, type RunOutcome } from './interrupt.ts';
import { makeTransientChunk } from '../transcript/make-chunk.ts';
import { createOverlap, type Overlap } from './overlap.ts';
import { createObserverQueues, type ObserverQueues } from './observer-queues.ts';
import { createRunActivity, type RunActivity } from './run-activity.ts';
import { createRunTranscript, type RunTranscript } from '../transcript/run-transcript.ts';
import { reduceRun } from './run-state.ts';
import type { RunStore } from './run-store.ts';

/** The part of a logger that a run needs. */
type RunLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

export type Deps = {
  access: JetStreamAccess;
  models: Models;
  discovery: Discovery;
  sessions: SessionInbox;
  saves: SaveQueue;
  log: RunLog;
  agents: AppliedAgentSource;
  driven: DrivenRuns;
  /** Absent: the cost of calls has no limit. */
  budgets?: Budgets;
  /** Absent: every model is asked. */
  circuits?: Circuits;
  /** Absent: no resource is erased. */
  erasures?: ErasedRuns;
  /** Schedules the flushes of the models' text; absent: pieces leave at once. */
  tick?: FlushTick;
};

/** Erasures of resources, as far as a run needs them. */
export type ErasedRuns = {
  /** Returns whether the run belongs to a resource that was erased after its submission. */
  isErased(run: FencedRun): boolean;
};
type FencedRun = Pick<RunHead, 'tenant' | 'submittedAt'> & Partial<Pick<RunHead, 'resourceId' | 'subject'>>;

/** Source of the applied agents. */
type AppliedAgentSource = {
  /**
   * Returns the current agent, or at least the given `revision` of the bucket. @throws bus-unreachable,
   * store-unavailable
   */
  getAtLeast(tenant: string, agent: string, revision: number): Promise<AppliedAgent | undefined>;
};

export type Run = {
  ref: RunRef;
  /** By the monotonic clock of this process (`performance.now()`): never sent. */
  deadlineAt: number;
  agent: Agent;
  plan: Plan;
  deps: Deps;
  transcript: RunTranscript;
  events: EventLog;
  /** What processors change; undefined unless the agent records it. */
  changes?: ChangeLog | undefined;
  /** The run's calls in progress. */
  activity: RunActivity;
  /** Calls that the run does not wait for. */
  observers: ObserverQueues;
  /** The group that judges the input concurrently with the first model call. */
  overlap: Overlap;
  signal: AbortSignal;
  /**
   * Returns the minimum wait for an absent service, ms: services that were lost with the previous owner, or that start with this process,
   * need more time than one replica that restarts.
   */
  readMinAbsentMs: () => number;
  getState(): RunState;
  dispatch(action: RunAction): void;
  /** Returns the interrupt of the fired signal. */
  checkInterruption(): RunOutcome | undefined;
  /**
   * Writes a checkpoint. Calls during a write are combined into the next one.
   * @param rejectedFrom the place from which text is about to be retracted: the next owner's chunks begin there. A
   * retract follows its checkpoint, never precedes it: readers cannot restore dropped chunks
   */
  checkpoint(rejectedFrom?: number): Promise<RunOutcome | undefined>;
  /**
   * Starts a checkpoint without waiting. Nothing may be judged or published after it before `awaitCheckpoint` resolves.
   */
  beginCheckpoint(): void;
  /** Waits for the started checkpoint. Returns undefined if the run continues. @throws as `checkpoint` */
  awaitCheckpoint(): Promise<RunOutcome | undefined>;
  /** Returns whether the run is to be handed over: work that another owner can start is not started here. */
  isLeaving(): boolean;
  /** Stops the run at a checkpoint between two statements if it is to be handed over. */
  handOverIfLeaving(): Promise<RunOutcome | undefined>;
  /** Whether memory may have saved, called here or by a lost owner. */
  saving: { begun: boolean; asked: boolean };
  /** Runs the work after all earlier work: an entry's state is with one call at a time. */
  serialize<T>(work: () => Promise<T>): Promise<T>;
};

export type RunParts = Omit<
  Run,
  | 'activity'
  | 'agent'
  | 'observers'
  | 'overlap'
  | 'plan'
  | 'getState'
  | 'dispatch'
  | 'checkInterruption'
  | 'checkpoint'
  | 'beginCheckpoint'
  | 'awaitCheckpoint'
  | 'handOverIfLeaving'
  | 'readMinAbsentMs'
  | 'saving'
  | 'serialize'
  | 'transcript'
> & {
  /** The state from the run's records, or its first state. */
  first: RunState;
  /** Actions of `first` that are in no record yet. */
  unsaved?: readonly RunAction[];
  store: RunStore;
  chunks: ChunkPublisher;
  /** The previous owner of the run was lost. */
  isRecovered?: boolean;
};

export function createRun(given: RunParts): Run {
  const { first, unsaved = [], store, chunks: publisher, isRecovered = false, ...parts } = given;
  const { signal, events, deadlineAt } = parts;
  const { agent } = first.applied;
  const activity = reportActivity(parts, publisher);
  // By `performance.now()`, which starts with the process.
  const patientUntil = (isRecovered ? performance.now() : 0) + timings.outageMs;
  let state = first;
  let pending = [...unsaved];
  let turn: Promise<unknown> = Promise.resolve();

  const dispatch = (action: RunAction) => {
    state = reduceRun(state, action);
    pending.push(action);
  };
  const getState = () => state;
  const transcript = createRunTranscript({ ref: parts.ref, agent, publisher, getState, dispatch });
  const write = async (rejectedFrom: number | undefined) => {
    for (const action of transcript.takeUnrecorded()) dispatch(action);
    const actions = pending;
    pending = [];
    const nextIndex =
      rejectedFrom === undefined ? transcript.getNextIndex() : Math.min(rejectedFrom, transcript.getNextIndex());
    // One Promise.all: a promise that is awaited after another one that fails would be an unhandled rejection.
    const call = activity.begin({ kind: 'store', names: ['checkpoint'] });
    try {
      const [recorded] = await Promise.all([store.record(actions), transcript.flush(), events.flush()]);
      await store.write({ records: store.getHead().records + recorded.count, nextIndex });
      return recorded.cancelAsked ? ({ form: 'cancel' } as const) : checkInterruption();
    } finally {
      call.end();
    }
  };
  const checkInterruption = () => findInterruption(signal, deadlineAt);
  const { checkpoint, begin: beginCheckpoint, settle: awaitCheckpoint } = createCheckpoints(write);
  return {
    ...parts,
    activity,
    transcript,
    observers: createObserverQueues(),
    overlap: createOverlap(),
    get agent() {
      return state.applied.agent;
    },
    get plan() {
      return state.applied.plan;
    },
    readMinAbsentMs: () => Math.max(0, patientUntil - performance.now()),
    saving: { begun: first.finish !== undefined, asked: false },
    getState,
    dispatch,
    checkInterruption,
    checkpoint,
    beginCheckpoint,
    awaitCheckpoint,
    async handOverIfLeaving() {
      if (!parts.isLeaving()) return undefined;
      return (await checkpoint()) ?? { form: 'hand-over' };
    },
    async serialize(work) {
      const mine = turn.then(work);
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

type WriteCheckpoint = (rejectedFrom: number | undefined) => Promise<RunOutcome | undefined>;

/** Writes checkpoints one after the other. One that has not begun includes everything until its beginning. */
function createCheckpoints(write: WriteCheckpoint) {
  let writing: Promise<unknown> = Promise.resolve();
  let next: Promise<RunOutcome | undefined> | undefined;
  let begun: Promise<RunOutcome | undefined> | undefined;
  const writeNext: WriteCheckpoint = (rejectedFrom) => {
    next ??= writing.then(() => {
      next = undefined;
      return write(rejectedFrom);
    });
    writing = next.catch(() => undefined);
    return next;
  };
  const settle = async (): Promise<RunOutcome | undefined> => {
    const waited = begun;
    const outcome = await waited;
    if (outcome === undefined && begun === waited) begun = undefined;
    return outcome;
  };
  return {
    begin() {
      begun = writeNext(undefined);
      // `settle` reports a failure; until then it must not be an unhandled rejection.
      begun.catch(() => undefined);
    },
    settle,
    checkpoint: async (rejectedFrom?: number): Promise<RunOutcome | undefined> =>
      (await settle()) ?? writeNext(rejectedFrom),
  };
}

function reportActivity(
  { ref: { tenant, runId }, deps: { log } }: Pick<Run, 'ref' | 'deps'>,
  publisher: ChunkPublisher,
) {
  return createRunActivity({
    // Bypasses the transcript: the chunk holds names of the plan and no text that a processor has to judge.
    notify: (call) => publisher.publish([makeTransientChunk(runId, WAITING_CHUNK, call)]),
    onEnded: (call) => log.debug({ tenant, runId, ...call }, 'call ended'),
  });
}

function findInterruption(signal: AbortSignal, deadlineAt: number): RunOutcome | undefined {
  if (!signal.aborted) return undefined;
  if (signal.reason === 'leaving') return { form: 'hand-over' };
  if (signal.reason === 'deadline') return failInOwnWords(createDeadlineError(deadlineAt));
  return { form: 'cancel' };
}

function createDeadlineError(deadlineAt: number) {
  const at = new Date(Date.now() + deadlineAt - performance.now()).toISOString();
  return {
    code: 'run-deadline-exceeded' as const,
    message: `The run's deadline passed at ${at}.`,
    remedy: 'Submit it with a longer deadline: deadlineMs, or --timeout of the command line.',
  };
}

type NewSave = Omit<PutOffSave, 'epoch' | 'place' | 'tries' | 'timeouts' | 'since' | 'nextAt'>;

/** The deferred saves as far as one run needs them: the run asks for its place in the thread and adds its own save. */
export type SaveQueue = {
  /** Whether an earlier run of the thread has a deferred save: if so, a later save of the thread is deferred as well. */
  isWaiting(tenant: string, threadId: string | undefined): boolean;
  /** Returns false if the tenant has too many deferred saves. @throws message-too-large, bus-unreachable, store-unavailable */
  add(save: NewSave, kept: KeptSave): Promise<boolean>;
};
