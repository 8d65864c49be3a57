// Converts the chunks of a run to the UI message stream of the AI SDK. Pure: a reducer with one state for each stream.
// `reset-step` drops all parts of the open step: after a retraction inside of a step, the reducer repeats its parts
// before the retracted index. A retraction behind the open step has no form, so the stream ends and the client resumes
// it, which replays the run without the retracted chunks.
import type { PositionedChunk } from '@millrace/client';
import type { Chunk, ChunkOf, ShownPending } from '@millrace/contracts';
import { listClientCalls } from '../agents/client-calls.ts';
import { withJsonText } from '../http/json-texts.ts';
import { NO_PARTS, applyPart, closeParts, completePart, type OpenPartIds } from './open-parts.ts';
import { describeClientResult, describePart, type UiEvent } from './ui-parts.ts';

/** Events of a step from the last to the first: a list that is shared between states, so that appending copies nothing. */
type StepEvents = { index: number; event: UiEvent; before: StepEvents } | undefined;

export type UiState = {
  runId: string;
  /** Index of the chunk that opened the step. */
  stepFrom: number | undefined;
  /** Events of the open step, to repeat them after a reset. */
  step: StepEvents;
  open: OpenPartIds;
  /** The run has ended or waits: no event follows. */
  ended: boolean;
  /**
   * Calls of this stream. The output of another call belongs to an earlier message, and a client without that message
   * rejects it. Absent: the stream continues its message.
   */
  calls: ReadonlySet<string> | undefined;
  /** The client has to read the run again from its start. */
  broken: boolean;
};

/** @param continues the stream continues the message that holds the calls of the run */
export const startUi = (runId: string, continues: boolean): UiState => ({
  runId,
  calls: continues ? undefined : new Set(),
  stepFrom: undefined,
  step: undefined,
  open: NO_PARTS,
  ended: false,
  broken: false,
});

export type UiStep = { state: UiState; events: readonly UiEvent[] };

export function reduceUi(state: UiState, { index, chunk }: PositionedChunk): UiStep {
  if (state.ended || state.broken) return { state, events: [] };
  if (chunk.type === 'retract') return retract(state, chunk.payload.index);
  const ending = describeEnding(state.runId, chunk);
  if (ending) return { state: { ...state, ended: true }, events: ending };
  if (chunk.type === 'step-start')
    return {
      state: { ...state, stepFrom: index, step: undefined, open: NO_PARTS },
      events: [...closeParts(state.open), { type: 'start-step' }],
    };
  const shown = state.calls ? describeClientResult(chunk) : [];
  if (shown.length > 0)
    return { state: shown.reduce((next, one) => keepEvent(next, index, one), state), events: shown };
  const event = describePart(state.runId, chunk);
  if (!event || isForeignOutput(state, event)) return { state, events: [] };
  // The client has handled a transient part, and a repetition of the step must not hand it over again.
  if (event['transient'] === true) return { state, events: [event] };
  const events = completePart(state.open, event);
  return { state: events.reduce((next, one) => keepEvent(next, index, one), state), events };
}

const keepEvent = (state: UiState, index: number, event: UiEvent): UiState => ({
  ...state,
  calls: addCall(state.calls, event),
  open: applyPart(state.open, event),
  step: { index, event, before: state.step },
});

const isForeignOutput = ({ calls }: UiState, { type, toolCallId }: UiEvent): boolean =>
  type.startsWith('tool-output-') && typeof toolCallId === 'string' && calls?.has(toolCallId) === false;

function addCall(calls: UiState['calls'], { type, toolCallId }: UiEvent): UiState['calls'] {
  const isNew = type.startsWith('tool-input-') && typeof toolCallId === 'string' && calls?.has(toolCallId) === false;
  return isNew && calls ? new Set([...calls, toolCallId]) : calls;
}

const RESET: UiEvent = { type: 'reset-step' };

function retract(state: UiState, from: number): UiStep {
  const { stepFrom, step } = state;
  if (stepFrom !== undefined && from < stepFrom) return { state: { ...state, broken: true }, events: [] };
  let kept = step;
  while (kept && kept.index >= from) kept = kept.before;
  if (kept === step) return { state, events: [] };
  // `reset-step` of a continued message drops its earlier parts, which this stream does not have.
  if (stepFrom === undefined && state.calls === undefined) return { state: { ...state, broken: true }, events: [] };
  const events = listEvents(kept);
  if (hasOutputBehindStep(listEvents(step), events.length)) return { state: { ...state, broken: true }, events: [] };
  return { state: { ...state, step: kept, open: events.reduce(applyPart, NO_PARTS) }, events: [RESET, ...events] };
}

/** Returns whether an event after the first `kept` ones is the output of a call of an earlier step: no reset drops that. */
function hasOutputBehindStep(events: readonly UiEvent[], kept: number): boolean {
  const own = new Set(events.flatMap(({ type, toolCallId }) => (type.startsWith('tool-input-') ? [toolCallId] : [])));
  return events.slice(kept).some(({ type, toolCallId }) => type.startsWith('tool-output-') && !own.has(toolCallId));
}

function listEvents(step: StepEvents): UiEvent[] {
  const events: UiEvent[] = [];
  for (let at = step; at; at = at.before) events.push(at.event);
  return events.toReversed();
}

function describeEnding(runId: string, chunk: Chunk): UiEvent[] | undefined {
  switch (chunk.type) {
    case 'finish':
      return [describeFinish(runId, chunk)];
    case 'tripwire': {
      const { reason, processorId } = chunk.payload;
      return [
        { type: 'data-tripwire', data: { reason, ...(processorId !== undefined && { processorId }) } },
        { type: 'error', errorText: reason },
        { type: 'finish', finishReason: 'content-filter', messageMetadata: { runId, status: 'aborted' } },
      ];
    }
    case 'error':
      return [
        { type: 'error', errorText: readMessage(chunk.payload.error) },
        { type: 'finish', finishReason: 'error', messageMetadata: { runId, status: 'failed' } },
      ];
    case 'abort':
      return [{ type: 'abort' }];
    case 'suspended':
      return describeSuspension(runId, chunk.payload.pending ?? []);
    default:
      return undefined;
  }
}

function describeSuspension(runId: string, pending: readonly ShownPending[]): UiEvent[] {
  const calls = listClientCalls(runId, pending);
  return [
    ...calls.map(({ id, name, args, argsText }) => ({
      type: 'tool-input-available',
      toolCallId: id,
      toolName: name,
      input: withJsonText(args, argsText, 'input'),
      dynamic: true,
    })),
    ...pending.filter(({ clientCall }) => clientCall === undefined).map(describePending),
    {
      type: 'finish',
      finishReason: calls.length > 0 ? 'tool-calls' : 'other',
      messageMetadata: { runId, status: 'suspended' },
    },
  ];
}

const FINISH_REASONS = new Set(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other']);

function describeFinish(runId: string, { payload }: ChunkOf<'finish'>): UiEvent {
  const { reason } = payload.stepResult;
  const finishReason = FINISH_REASONS.has(reason) ? reason : 'stop';
  return {
    type: 'finish',
    finishReason,
    messageMetadata: { runId, status: 'finished', usage: payload.output['usage'] ?? {} },
  };
}

/**
 * A question about a call can be approved or denied by the caller; another one is answered with a text. An approval is
 * an operator's, and no token leaves the gateway.
 */
function describePending({ id, kind, by, toolCall, stage, payload, expiresAt }: ShownPending): UiEvent {
  if (kind === 'approval') return { type: 'data-approval-pending', id, data: { by, expiresAt } };
  if (toolCall && stage !== undefined)
    return { type: 'tool-approval-request', approvalId: id, toolCallId: toolCall.toolCallId };
  return { type: 'data-question', id, data: { by, payload: payload ?? null, expiresAt } };
}

function readMessage(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  return typeof message === 'string' ? message : 'The run failed.';
}
