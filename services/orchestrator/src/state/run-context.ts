// One run on this orchestrator: its state and what is needed to move it on. The state changes by `dispatch` alone; a checkpoint
// makes everything up to here last.
import {
  WAITING_CHUNK,
  type Agent,
  type AppliedAgent,
  type Plan,
  type RunAction,
  type RunRef,
  type RunState,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import type { Models } from '@millrace/models';
import type { Discovery } from '../peers/discovery.ts';
import type { SessionInbox } from '../peers/session-inbox.ts';
import type { ChunkPublisher } from './chunk-publisher.ts';
import type { DrivenRuns } from './driven-runs.ts';
import type { EventLog } from './event-log.ts';
import type { FlushTick } from './flush-tick.ts';
import { endWith, failInOwnWords, type Outcome } from './interrupt.ts';
import { transientChunk } from './make-chunk.ts';
import { createOverlap, type Overlap } from './overlap.ts';
import { createObserverQueues, type ObserverQueues } from './observer-queues.ts';
import { createRunActivity, type RunActivity } from './run-activity.ts';
import { createReleaseGate, type ReleaseGate } from './release-gate.ts';
import type { PutOffSaves } from './put-off-saves.ts';
import { reduceRun } from './run-state.ts';
import type { RunStore } from './run-store.ts';

/** The little of a logger that a run needs. */
type RunLog = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

export type Deps = {
  access: JetStreamAccess;
  models: Models;
  discovery: Discovery;
  sessions: SessionInbox;
  saves: PutOffSaves;
  log: RunLog;
  agents: AgentSource;
  driven: DrivenRuns;
  /** When pieces of the models' texts leave; absent: at once. */
  tick?: FlushTick;
};

/** The agents as they are applied. */
type AgentSource = {
  /** As it is now, or at least as `revision` of the bucket has it. @throws bus-unreachable, store-unavailable */
  atLeast(tenant: string, agent: string, revision: number): Promise<AppliedAgent | undefined>;
};

export type Run = {
  ref: RunRef;
  /** By the monotonic clock of this process (`performance.now()`): it does not travel. */
  deadlineAt: number;
  agent: Agent;
  plan: Plan;
  deps: Deps;
  chunks: ReleaseGate;
  events: EventLog;
  /** The run's calls under way. */
  activity: RunActivity;
  /** Calls that nobody waits for. */
  observers: ObserverQueues;
  /** A group that judges the input beside the first model call. */
  overlap: Overlap;
  signal: AbortSignal;
  state(): RunState;
  dispatch(action: RunAction): void;
  /** What the run's signal means, once it has fired. */
  interruption(): Outcome | undefined;
  /**
   * Calls that come while one is written are written together.
   * @param rejectedFrom the place from which on what was said is about to be taken back: the next owner's chunks begin there. A retract comes
   * after its checkpoint, never before: readers cannot be given back what they have dropped
   */
  checkpoint(rejectedFrom?: number): Promise<Outcome | undefined>;
  /** Begins one and waits for nothing: `saved` is to be awaited before anything is judged or published after it. */
  beginCheckpoint(): void;
  /** What the checkpoint that was begun came to; undefined: the run goes on. @throws what a checkpoint throws */
  saved(): Promise<Outcome | undefined>;
  /** The run is to be handed over: nothing new is begun that can be begun elsewhere. */
  isLeaving(): boolean;
  /** Between two statements: a run that is to be handed over is at a checkpoint, and stops here. */
  rest(): Promise<Outcome | undefined>;
  /** Whether memory may have saved: asked here, or by an owner that was lost. */
  saving: { begun: boolean };
  /** One after the other: an entry's state is with one call at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
};

export type RunParts = Omit<
  Run,
  | 'activity'
  | 'agent'
  | 'chunks'
  | 'observers'
  | 'overlap'
  | 'plan'
  | 'state'
  | 'dispatch'
  | 'interruption'
  | 'checkpoint'
  | 'beginCheckpoint'
  | 'saved'
  | 'rest'
  | 'saving'
  | 'inTurn'
> & {
  /** As its records make it, or as it begins. */
  first: RunState;
  /** What has made it so and is in no record yet. */
  unsaved?: readonly RunAction[];
  store: RunStore;
  chunks: ChunkPublisher;
};

export function createRun({ first, unsaved = [], store, chunks: publisher, ...parts }: RunParts): Run {
  const { signal, events, deadlineAt } = parts;
  const { agent, plan } = first.applied;
  const chunks = createReleaseGate(publisher, agent.release);
  const { tenant, runId } = parts.ref;
  const { log } = parts.deps;
  const activity = createRunActivity({
    // Past the release gate: the chunk holds names of the plan and no text that a processor has to judge.
    notify: (call) => publisher.publish([transientChunk(runId, WAITING_CHUNK, call)]),
    ended: (call) => log.debug({ tenant, runId, ...call }, 'call ended'),
  });
  let state = first;
  let pending = [...unsaved];

  let writing: Promise<unknown> = Promise.resolve();
  let next: Promise<Outcome | undefined> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const dispatch = (action: RunAction) => {
    state = reduceRun(state, action);
    pending.push(action);
  };
  const write = async (rejectedFrom: number | undefined) => {
    for (const action of chunks.unrecorded(state.open?.firstIndex ?? 0)) dispatch(action);
    const actions = pending;
    pending = [];
    const nextIndex = rejectedFrom === undefined ? chunks.shownIndex() : chunks.indexOf(rejectedFrom);
    // All in one wait: a promise that is awaited only after another one that fails would be an unhandled rejection.
    const call = activity.begin({ kind: 'store', names: ['checkpoint'] });
    try {
      const [recorded] = await Promise.all([store.record(actions), chunks.flush(), events.flush()]);
      await store.write({ records: store.head().records + recorded.count, nextIndex });
      return recorded.cancelAsked ? endWith({ form: 'cancel' }) : interruption();
    } finally {
      call.end();
    }
  };
  const interruption = (): Outcome | undefined => {
    if (!signal.aborted) return undefined;
    if (signal.reason === 'leaving') return { kind: 'hand-over' };
    if (signal.reason === 'deadline') return failInOwnWords(deadlineError(deadlineAt));
    return endWith({ form: 'cancel' });
  };
  let begun: Promise<Outcome | undefined> | undefined;
  const saved = async (): Promise<Outcome | undefined> => {
    const waited = begun;
    const outcome = await waited;
    if (outcome === undefined && begun === waited) begun = undefined;
    return outcome;
  };
  const checkpoint = async (rejectedFrom?: number): Promise<Outcome | undefined> =>
    (await saved()) ?? writeNext(rejectedFrom);
  const writeNext = (rejectedFrom?: number): Promise<Outcome | undefined> => {
    next ??= writing.then(() => {
      next = undefined;
      return write(rejectedFrom);
    });
    writing = next.catch(() => undefined);
    return next;
  };
  return {
    ...parts,
    activity,
    chunks,
    observers: createObserverQueues(),
    overlap: createOverlap(),
    agent,
    plan,
    saving: { begun: first.finish !== undefined },
    state: () => state,
    dispatch,
    interruption,
    checkpoint,
    beginCheckpoint() {
      begun = writeNext();
      // Whoever awaits it learns of a failure; it must not be an unhandled rejection until then.
      begun.catch(() => undefined);
    },
    saved,
    async rest() {
      if (!parts.isLeaving()) return undefined;
      return (await checkpoint()) ?? { kind: 'hand-over' };
    },
    async inTurn(work) {
      const mine = turn.then(work);
      turn = mine.catch(() => undefined);
      return mine;
    },
  };
}

function deadlineError(deadlineAt: number) {
  const at = new Date(Date.now() + deadlineAt - performance.now()).toISOString();
  return {
    code: 'run-deadline-exceeded' as const,
    message: `The run's deadline passed at ${at}.`,
    remedy: 'Submit it with a longer deadline: deadlineMs, or --timeout of the command line.',
  };
}
