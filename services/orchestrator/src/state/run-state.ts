// A run's state as a fold of its actions. Pure: folding the stored records again is recovery. This module alone defines
// the effect of an action.
import {
  applyOps,
  buildInstructionMessages,
  labelSubmitted,
  withCallerSystem,
  type Conversation,
  type HeldPending,
  type JsonValue,
  type Message,
  type PlacedResult,
  type RunAction,
  type RunState,
  type StepAnswer,
  type ToolResult,
} from '@millrace/contracts';
import { addJudged, withJudged, type OpenStep } from './judged-calls.ts';
import { unsealMessage } from './unseal-message.ts';
import { reducePending } from './reduce-pending.ts';
import { addPaidUsage, addProcessorUsage } from './add-usage.ts';
import { addViolations } from './add-violations.ts';
import { replaceCallIds } from './hashed-ids.ts';
import { closeShown, reduceStored } from '../transcript/stored-transcript.ts';
import { withResults } from '../transcript/response-message.ts';
import { buildStepResult } from './step-results.ts';
import { changeSubmitted } from '../changes/submitted-changes.ts';
import { labelAnswer, labelFeedback, labelOwnOps, labelResults, readAnswerTrust } from './run-labels.ts';

/**
 * Tag of the system message that gives the model the reason for which its answer was rejected: docs/semantics.md,
 * section 5.
 */
export const FEEDBACK_TAG = 'processor-retry-feedback';

type RunBeginning = Pick<RunState, 'request' | 'applied' | 'firstIndex'>;

/** Folds the records of a run. Returns undefined if they do not begin it. */
export function foldRun(actions: readonly RunAction[]): RunState | undefined {
  const [first, ...others] = actions;
  return first?.action === 'begun' ? others.reduce(reduceRun, createInitialState(first)) : undefined;
}

/** Returns the messages of the caller as the processors of the input passed them. */
export function listInput({ conversation }: Pick<RunState, 'conversation'>): Message[] {
  return conversation.entries.flatMap(({ source, message }) => (source === 'input' ? [message] : []));
}

export function createInitialState({ request, applied, firstIndex }: RunBeginning): RunState {
  return {
    request,
    applied,
    firstIndex,
    conversation: createStartingConversation({ request, applied }),
    unpassed: [],
    stored: {},
    states: {},
    taint: { entries: [], origins: [] },
    passedFiles: [],
    inputPassed: false,
    steps: [],
    shown: [],
    retryCount: 0,
    modelCalls: 0,
    clientCalls: 0,
    toolCalls: {},
    answered: false,
    usage: {},
    costUnknown: false,
    violations: [],
    pending: [],
    held: [],
  };
}

function createStartingConversation({ request, applied }: Pick<RunState, 'request' | 'applied'>): Conversation {
  const { instructions } = applied.agent;
  const texts = typeof instructions === 'string' ? [instructions] : instructions;
  return withCallerSystem({
    entries: request.messages.map((message) => ({
      source: 'input',
      message: labelSubmitted(unsealMessage(replaceCallIds(message))),
    })),
    system: buildInstructionMessages(texts),
  });
}

export function reduceRun(state: RunState, action: RunAction): RunState {
  const { open } = state;
  switch (action.action) {
    case 'begun':
      return createInitialState(action);
    case 'messages-changed':
      return {
        ...state,
        conversation: applyOps(state.conversation, labelOwnOps(state, action.ops)),
        unpassed: listUnpassedIds(state.unpassed, action),
        stored: changeStored(state.stored, action),
      };
    case 'messages-passed':
      return { ...state, unpassed: [] };
    case 'taint-found':
      return { ...state, taint: joinTaint(state.taint, action) };
    case 'states-changed':
      return { ...state, states: { ...state.states, ...action.states } };
    case 'violations-found':
      return { ...state, violations: addViolations(state.violations, action.violations) };
    case 'submitted-changed':
      return changeSubmitted(state, action);
    case 'files-passed':
      return { ...state, passedFiles: action.files };
    case 'input-passed':
      return { ...state, inputPassed: true };
    case 'step-opened':
      return openStep(state, action.firstIndex);
    case 'model-called':
      return { ...state, modelCalls: state.modelCalls + 1 };
    case 'model-answered':
      return addPaidUsage(state, action.usage);
    case 'processors-billed':
      return { ...state, usage: addProcessorUsage(state.usage, action.usage) };
    case 'model-failed':
      return open ? { ...state, open: { ...open, failures: [...(open.failures ?? []), action.failure] } } : state;
    case 'error-retried':
      return open ? retryStep(state, open, action.model) : state;
    case 'answer-accepted':
      return open ? acceptAnswer(state, { ...open, tools: action.tools }, action.answer) : state;
    case 'calls-judged':
      return open ? addJudged(state, { ...open, calls: action.calls, results: action.denied }, action.calls) : state;
    case 'call-begun':
      return open ? { ...state, open: { ...open, begun: [...open.begun, action.position] } } : state;
    case 'tool-finished':
      return open ? recordToolResult(state, open, action.result) : state;
    case 'step-closed':
      return open ? closeStep(state, open, action.results) : state;
    case 'result-judged':
      return { ...state, finish: action.finish };
    case 'object-passed':
      return open?.answer ? { ...state, open: { ...open, answer: withObject(open.answer, action.object) } } : state;
    case 'answer-drafted':
      return open ? { ...state, open: { ...open, draft: action.draft } } : state;
    case 'call-judged':
      return open ? addJudged(state, withJudged(open, action), action.call ? [action.call] : []) : state;
    case 'results-judged':
      return open ? { ...state, open: { ...open, judged: action.results } } : state;
    case 'finish-passed':
      return { ...state, passed: action.finish };
    case 'suspended':
      return addQuestion(state, action);
    case 'pending-told':
    case 'pending-resumed':
    case 'pending-settled':
      return { ...state, pending: reducePending(state.pending, action) };
    case 'step-moved':
    case 'chunks-held':
    case 'stream-differed':
    case 'answer-restated':
      return reduceStored(state, action);
    case 'rewound':
      return rewindState(state, action);
    case 'rejected':
      return { ...state, rejection: action.ending };
  }
}

/** A text that processors have changed since is stored as it is, until it has passed memory's position again. */
function changeStored(
  before: RunState['stored'],
  { ops, unpassed, stored }: Extract<RunAction, { action: 'messages-changed' }>,
): RunState['stored'] {
  const changed = new Set(unpassed ? ops.flatMap((op) => ('message' in op ? [op.message.id] : [])) : []);
  return { ...Object.fromEntries(Object.entries(before).filter(([id]) => !changed.has(id))), ...stored };
}

/** Moves messages between passed and unpassed: the later one wins. */
function listUnpassedIds(
  before: readonly string[],
  { ops, unpassed }: Extract<RunAction, { action: 'messages-changed' }>,
): string[] {
  const touched = new Set(ops.flatMap((op) => ('message' in op ? [op.message.id] : [])));
  const others = before.filter((id) => !touched.has(id));
  return unpassed ? [...others, ...touched] : others;
}

function joinTaint(taint: RunState['taint'], found: RunState['taint']): RunState['taint'] {
  const join = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  return { entries: join(taint.entries, found.entries), origins: join(taint.origins, found.origins) };
}

/**
 * Retries count consecutively: the count is reset when an accepted step is followed by another one. A step that
 * processOutputResult rejects is opened again with its count.
 */
function openStep(state: RunState, firstIndex: number): RunState {
  return { ...state, retryCount: state.open?.closed ? 0 : state.retryCount, open: createStep(state, firstIndex) };
}

function createStep({ conversation }: RunState, firstIndex: number): OpenStep {
  return {
    firstIndex,
    base: conversation,
    tools: [],
    begun: [],
    results: [],
    judged: [],
    closed: false,
  };
}

function retryStep(state: RunState, { failures: _, ...open }: OpenStep, model = open.model): RunState {
  return { ...state, retryCount: state.retryCount + 1, open: { ...open, ...(model !== undefined && { model }) } };
}

/**
 * Changes that processInputStep made to the system messages end with its step, and an accepted answer needs no feedback
 * any more.
 */
function acceptAnswer(state: RunState, open: OpenStep, answer: StepAnswer): RunState {
  return {
    ...state,
    conversation: { ...state.conversation, system: open.base.system.filter((message) => message.tag !== FEEDBACK_TAG) },
    open: { ...open, answer },
    answered: true,
  };
}

/** The result settles a question of the tool: it was answered, or the call was lost. */
function recordToolResult(state: RunState, open: OpenStep, result: PlacedResult): RunState {
  const pending = state.pending.filter(({ stage, position }) => stage !== undefined || position !== result.position);
  return { ...state, pending, open: { ...open, results: [...open.results, result] } };
}

function addQuestion(state: RunState, action: Extract<RunAction, { action: 'suspended' }>): RunState {
  const { open, clientCalls } = state;
  const isOfClient = action.pending.clientCall !== undefined;
  return {
    ...state,
    pending: reducePending(state.pending, action),
    clientCalls: isOfClient ? clientCalls + 1 : clientCalls,
    ...(open && { open: resetBegun(open, action.pending) }),
  };
}

/** A tool that asks has not finished: it is called again. */
function resetBegun(open: OpenStep, { stage, position }: HeldPending): OpenStep {
  return stage === undefined ? { ...open, begun: open.begun.filter((one) => one !== position) } : open;
}

function withObject({ object: _, ...answer }: StepAnswer, object: JsonValue | undefined): StepAnswer {
  return { ...answer, ...(object !== undefined && { object }) };
}

function closeStep(state: RunState, open: OpenStep, results: ToolResult[]): RunState {
  const { answer } = open;
  if (!answer) return state;
  const answered = labelAnswer(answer.message, readAnswerTrust(state));
  const ofCaller = open.results.flatMap(({ origin, position }) => (origin === 'caller' ? [position] : []));
  const message = labelResults(withResults(answered, results), state.applied, new Set(ofCaller));
  const conversation = applyOps(state.conversation, [{ op: 'add', source: 'response', message }]);
  return {
    ...state,
    conversation,
    open: { ...open, closed: true },
    steps: [...state.steps, buildStepResult(state, answer, results)],
    shown: closeShown(state.shown, open),
  };
}

/** Rewinds to the input as submitted, or to the beginning of the step; a closed step is opened again. */
function rewindState(state: RunState, { to, feedback }: Extract<RunAction, { action: 'rewound' }>): RunState {
  const base = to === 'input' ? createStartingConversation(state) : (state.open?.base ?? state.conversation);
  const ops =
    feedback === ''
      ? []
      : [{ op: 'system' as const, tag: FEEDBACK_TAG, contents: [feedback], labels: [labelFeedback(state)] }];
  const { open, passed: _, finish: __, ...rest } = state;
  return {
    ...rest,
    conversation: applyOps(base, ops),
    ...(open?.closed && { steps: state.steps.slice(0, -1), shown: state.shown.slice(0, -1) }),
    ...(to === 'input' && { inputPassed: false, passedFiles: [] }),
    pending: [],
    // Counted without a reason too: otherwise a retry could repeat for ever.
    retryCount: state.retryCount + 1,
  };
}
