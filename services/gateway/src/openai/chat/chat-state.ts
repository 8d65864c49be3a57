// Converts the chunks of a run to the deltas of a chat completion. Pure: a reducer with one state for each stream.
// Chat completions have no form for a retraction. If the run repeats the text that was shown and is retracted, the stream
// continues behind it; otherwise the stream ends with an error.
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

type DeltaKind = 'content' | 'reasoning_content';
/** The shown chunks, from the last to the first. */
type ShownDelta = { index: number; kind: DeltaKind; text: string; before: ShownDelta | undefined };
/** ShownDelta texts that are retracted and not repeated so far, with the code of the first retraction. */
type OwedTexts = { texts: Readonly<Record<DeltaKind, string>>; code: ErrorCode | undefined };

export type ChatState = {
  runId: string;
  /** Something was shown. */
  isShown: boolean;
  shown: ShownDelta | undefined;
  owed: OwedTexts | undefined;
  usage: Usage;
  end: ChatEnd | undefined;
};

export const startChatState = (runId: string): ChatState => ({
  runId,
  isShown: false,
  shown: undefined,
  owed: undefined,
  usage: {},
  end: undefined,
});

export function reduceChat(
  state: ChatState,
  { index, chunk }: PositionedChunk,
): { state: ChatState; delta?: ChatDelta } {
  if (state.end) return { state };
  if (chunk.type === 'retract') return { state: retract(state, chunk.payload) };
  const text = readText(chunk);
  if (text) return showText(state, index, text);
  const end = readEnd(chunk, state);
  if (!end) return { state };
  if (end.kind !== 'failed' && state.owed) return { state: { ...state, end: endRetracted(state.owed) } };
  return { state: { ...state, end, usage: chunk.type === 'finish' ? readUsage(chunk.payload.output) : state.usage } };
}

type DeltaText = { kind: DeltaKind; text: string };

function readText(chunk: Chunk): DeltaText | undefined {
  if (chunk.type !== 'text-delta' && chunk.type !== 'reasoning-delta') return undefined;
  const { text } = chunk.payload;
  return text === '' ? undefined : { kind: chunk.type === 'text-delta' ? 'content' : 'reasoning_content', text };
}

const makeDelta = ({ kind, text }: DeltaText): ChatDelta =>
  kind === 'content' ? { content: text } : { reasoning_content: text };

const endRetracted = ({ code }: OwedTexts): ChatEnd => ({ kind: 'retracted', code });

/** Takes a repeated text from the owed ones, and shows the rest. */
function showText(state: ChatState, index: number, { kind, text }: DeltaText): { state: ChatState; delta?: ChatDelta } {
  const expected = state.owed?.texts[kind] ?? '';
  if (state.owed && !expected.startsWith(text) && !text.startsWith(expected))
    return { state: { ...state, end: endRetracted(state.owed) } };
  const owed = state.owed && removeOwed(state.owed, kind, text.length);
  const next = { ...state, owed, shown: { index, kind, text, before: state.shown } };
  const rest = text.slice(expected.length);
  return rest === '' ? { state: next } : { state: { ...next, isShown: true }, delta: makeDelta({ kind, text: rest }) };
}

function removeOwed(owed: OwedTexts, kind: DeltaKind, length: number): OwedTexts | undefined {
  const texts = { ...owed.texts, [kind]: owed.texts[kind].slice(length) };
  return texts.content === '' && texts.reasoning_content === '' ? undefined : { ...owed, texts };
}

/** Withdraws the shown chunks from an index on: the run owes their texts, before those that it owes already. */
function retract(state: ChatState, { index, code }: { index: number; code?: ErrorCode | undefined }): ChatState {
  const texts = { content: '', reasoning_content: '', ...state.owed?.texts };
  let { shown } = state;
  for (; shown && shown.index >= index; shown = shown.before) texts[shown.kind] = shown.text + texts[shown.kind];
  return shown === state.shown ? state : { ...state, shown, owed: { texts, code: state.owed?.code ?? code } };
}

function readEnd(chunk: Chunk, { runId }: ChatState): ChatEnd | undefined {
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
