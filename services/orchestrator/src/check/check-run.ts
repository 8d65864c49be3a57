// A run that stores and publishes nothing: the statements of the run loop judge given texts with the processors of one
// direction. It has no memory, no tools and no observers, and its model answers with the given text.
import {
  STORED_VERSION,
  planWith,
  type AppliedAgent,
  type CheckRequest,
  type Plan,
  type Stage,
  type StoredRequest,
} from '@millrace/contracts';
import { createRun, type Deps, type Run } from '../state/run-context.ts';
import { createQueuedHead } from '../head/run-head.ts';
import { createInitialState } from '../state/run-state.ts';
import type { EventLog } from '../state/event-log.ts';
import type { RunStore } from '../state/run-store.ts';
import type { ChunkPublisher } from '../transcript/chunk-publisher.ts';
import { createGivenModels, type GivenAnswer } from './given-answer.ts';

type Direction = CheckRequest['direction'];

/** Stages that judge the texts of a direction. Stages of prompts and of tool calls have no text of the check. */
const STAGES_OF: Record<Direction, readonly Stage[]> = {
  input: ['processInput'],
  output: ['processOutputStream', 'processOutputStep', 'processOutputResult'],
};
/** A text that is still being streamed has no step and no result. */
const STAGES_OF_BEGINNING: readonly Stage[] = ['processOutputStream'];

export type CheckedRun = {
  /** The agent as it applies to the request. */
  applied: AppliedAgent;
  /** Default: all stages of the direction. */
  stages?: readonly Stage[];
  /** Receives the events of the run. Default: they are dropped. */
  record?: EventLog['record'];
  request: StoredRequest;
  direction: Direction;
  answer: GivenAnswer;
  deadlineAt: number;
  signal: AbortSignal;
};

export function createCheckRun(deps: Deps, checked: CheckedRun): Run {
  const { applied, request, direction, answer, deadlineAt, signal } = checked;
  const { tenant, runId, agent } = request;
  const { stages = answer.isCutOff ? STAGES_OF_BEGINNING : STAGES_OF[direction], record = () => undefined } = checked;
  const begun = { request, applied: { ...applied, ...narrowAgent(applied, stages) }, firstIndex: 0 };
  const { tick: _, budgets, ...own } = deps;
  return createRun({
    ref: { tenant, runId, agent, epoch: 1 },
    deadlineAt,
    // The given answer costs nothing; processors that call models are charged.
    deps: {
      ...own,
      models: createGivenModels(answer),
      ...(budgets && { budgets: { ...budgets, isLimited: () => false } }),
    },
    chunks: createUnreadPublisher(),
    events: { record, flush: async () => undefined, close: () => undefined },
    signal,
    isLeaving: () => false,
    store: createEmptyStore(request),
    first: createInitialState(begun),
  });
}

/** Returns the run with the output stream's processors: they judge a reason before it leaves the orchestrator. */
export function withReasonJudges(run: Run, { plan }: AppliedAgent): Run {
  return { ...run, plan: { ...run.plan, order: pickStages(judgesOnly(plan), STAGES_OF_BEGINNING).order } };
}

/**
 * A schema of the agent does not apply to a text that it did not write, nor does the release of chunks. A retry would
 * ask the model again, so it blocks.
 */
function narrowAgent({ agent, plan }: AppliedAgent, stages: readonly Stage[]): Pick<AppliedAgent, 'agent' | 'plan'> {
  const { structuredOutput: _schema, release: _release, memory: _memory, ...rest } = agent;
  const narrowed = pickStages(judgesOnly(plan), stages);
  return {
    agent: { ...rest, tools: [], maxSteps: 1, maxProcessorRetries: 0 },
    plan: { ...narrowed, tools: [], toolRules: {} },
  };
}

const judgesOnly = (plan: Plan): Plan => planWith(plan, ({ memory, observe }) => !memory && observe !== true);

function pickStages(plan: Plan, stages: readonly Stage[]): Plan {
  return { ...plan, order: Object.fromEntries(stages.flatMap((stage) => toEntry(stage, plan.order[stage]))) };
}

const toEntry = (stage: Stage, names: string[] | undefined) => (names ? [[stage, names] as const] : []);

/** Counts chunks, so that retractions have positions. */
function createUnreadPublisher(): ChunkPublisher {
  let index = 0;
  return {
    getNextIndex: () => index,
    publish: (chunks) => void (index += chunks.length),
    publishLast: () => undefined,
    flush: async () => undefined,
    close: () => undefined,
  };
}

function createEmptyStore(request: StoredRequest): RunStore {
  const head = createQueuedHead({ v: STORED_VERSION, request, requestHash: '', submittedAt: 0 }, 'check');
  return {
    getHead: () => head,
    write: async () => undefined,
    record: async () => ({ count: 0, cancelAsked: false }),
    keepEnd: async () => ({ name: 'end', revision: 0 }),
  };
}
