// Converts the chunks of a run to the deltas of a chat completion. Pure: a reducer with one state for each stream.
// Chat completions have no form for a retraction, so text that was shown and is retracted ends the stream with an
// error.
import {
  isObject,
  type Chunk,
  type ErrorCode,
  type ShownPending,
  type Usage,
  type WireError,
} from '@millrace/contracts';
import type { PositionedChunk } from '@millrace/client';
import { listClientCalls, type ClientCall } from '../../agents/client-calls.ts';

export type ChatDelta = { content: string } | { reasoning_content: string };
export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls';
export type ChatEnd =
  | { kind: 'finished'; reason: FinishReason }
  | { kind: 'suspended'; text: string }
  | { kind: 'calls'; calls: readonly ClientCall[] }
  | { kind: 'blocked'; reason: string; processor?: string | undefined }
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; error: WireError }
  | { kind: 'retracted'; code: ErrorCode | undefined };

export type ChatState = {
  runId: string;
  /** Index of the last chunk that was shown. */
  shownTo: number | undefined;
  usage: Usage;
  end: ChatEnd | undefined;
};

export const startChatState = (runId: string): ChatState => ({ runId, shownTo: undefined, usage: {}, end: undefined });

export function reduceChat(
  state: ChatState,
  { index, chunk }: PositionedChunk,
): { state: ChatState; delta?: ChatDelta } {
  if (state.end) return { state };
  const delta = readDelta(chunk);
  if (delta) return { state: { ...state, shownTo: index }, delta };
  const end = readEnd(chunk, state);
  if (!end) return { state };
  return { state: { ...state, end, usage: chunk.type === 'finish' ? readUsage(chunk.payload.output) : state.usage } };
}

function readDelta(chunk: Chunk): ChatDelta | undefined {
  if (chunk.type === 'text-delta') return chunk.payload.text === '' ? undefined : { content: chunk.payload.text };
  if (chunk.type === 'reasoning-delta')
    return chunk.payload.text === '' ? undefined : { reasoning_content: chunk.payload.text };
  return undefined;
}

function readEnd(chunk: Chunk, { runId, shownTo }: ChatState): ChatEnd | undefined {
  switch (chunk.type) {
    case 'finish':
      return { kind: 'finished', reason: chooseFinishReason(chunk.payload.stepResult.reason) };
    case 'tripwire':
      return { kind: 'blocked', reason: chunk.payload.reason, processor: chunk.payload.processorId };
    case 'suspended':
      return describeSuspension(runId, chunk.payload.pending ?? []);
    case 'error':
      return endWithError(readError(chunk.payload.error));
    case 'abort':
      return { kind: 'failed', error: { code: 'run-cancelled', message: 'The run was cancelled.' } };
    case 'retract':
      return shownTo !== undefined && chunk.payload.index <= shownTo
        ? { kind: 'retracted', code: chunk.payload.code }
        : undefined;
    default:
      return undefined;
  }
}

/** An object that a processor broke is content that was removed: a client must not read it as one of its schema. */
export const isObjectBroken = ({ code }: Pick<WireError, 'code'>): boolean => code === 'object-broken';

const endWithError = (error: WireError): ChatEnd =>
  isObjectBroken(error) ? { kind: 'refused', reason: error.message } : { kind: 'failed', error };

/** Calls of the client's tools are the end of the answer; otherwise the question is its text. */
export function describeSuspension(
  runId: string,
  pending: readonly ShownPending[],
): Extract<ChatEnd, { kind: 'suspended' | 'calls' }> {
  const calls = listClientCalls(runId, pending);
  return calls.length > 0 ? { kind: 'calls', calls } : { kind: 'suspended', text: describePending(pending) };
}

/** The agent calls its own tools itself: no client sees these calls. */
export function chooseFinishReason(reason: string): FinishReason {
  if (reason === 'length') return 'length';
  return reason === 'content-filter' ? 'content_filter' : 'stop';
}

export function readUsage(output: unknown): Usage {
  const usage = isObject(output) ? output['usage'] : undefined;
  return isObject(usage) ? usage : {};
}

export function readError(error: unknown): WireError {
  if (isObject(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string')
    return { code: 'internal', ...error, message: error['message'] };
  return { code: 'internal', message: 'The run failed.' };
}

/** A question is shown with its text; an approval as a sentence, because an operator decides it. */
export function describePending(pending: readonly ShownPending[]): string {
  const question = pending.find(({ kind }) => kind === 'question');
  if (!question) return 'The run is suspended until an operator approves a call.';
  const { payload } = question;
  if (typeof payload === 'string') return payload;
  if (isObject(payload) && typeof payload['question'] === 'string') return payload['question'];
  return payload === undefined ? 'The run is suspended until it receives an answer.' : JSON.stringify(payload);
}
