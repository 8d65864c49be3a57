// Converts the chunks of a run to the items and events of a response. Pure: a reducer with one state for each reader.
// A retracted item ends as incomplete and is not in the final output, which holds the items that count.
import type { PositionedChunk } from '@millrace/client';
import type { Chunk, ChunkOf, WireError } from '@millrace/contracts';
import { isObjectBroken, readError, readUsage } from '../chat/chat-state.ts';
import type { ResponseEvent } from '@millrace/openai-wire';
import { addText, closeCall, closeText, openCall } from './item-events.ts';
import {
  addMessage,
  closeAll,
  closeOne,
  isText,
  buildNextItem,
  openNew,
  replaceItem,
  type ResponseStep,
  type ResponseState,
} from './response-changes.ts';
import { cutText, stringify, type CallItem, type OutputItem } from './response-items.ts';
import { addSettled, suspend } from './response-suspension.ts';

export function reduceResponse(state: ResponseState, { index, chunk }: PositionedChunk): ResponseStep {
  if (state.status !== 'in_progress') return { state, events: [] };
  switch (chunk.type) {
    case 'text-start':
    case 'reasoning-start':
      return openPart(state, index, chunk);
    case 'text-delta':
    case 'reasoning-delta':
      return appendPart(state, index, chunk);
    case 'text-end':
    case 'reasoning-end':
      return closePart(state, chunk.payload.id);
    case 'tool-call':
      // A call of the client is an item when the run waits for it.
      return chunk.payload.clientTool === true ? { state, events: [] } : beginCall(state, index, chunk);
    case 'tool-result':
    case 'tool-error':
    case 'tool-output-denied':
      return endCall(state, index, chunk);
    case 'resumed':
      return addSettled(state, index, chunk);
    case 'retract':
      return retract(state, index, chunk.payload.index);
    default:
      return end(state, index, chunk);
  }
}

const isOpenPart = (part: string) => (item: OutputItem) =>
  isText(item) && item.status === 'in_progress' && item.part === part;

function openPart(state: ResponseState, index: number, chunk: ChunkOf<'text-start' | 'reasoning-start'>): ResponseStep {
  const kind = chunk.type === 'text-start' ? 'message' : 'reasoning';
  return openNew(state, { ...buildNextItem(state, kind, index), part: chunk.payload.id, text: '', pieces: undefined });
}

/** A part whose start was retracted with its first texts continues as a new item. */
function appendPart(
  state: ResponseState,
  index: number,
  chunk: ChunkOf<'text-delta' | 'reasoning-delta'>,
): ResponseStep {
  const { id, text } = chunk.payload;
  const kind = chunk.type === 'text-delta' ? 'message' : 'reasoning';
  const found = state.items.findLast(isOpenPart(id));
  const opened = found
    ? { state, events: [] }
    : openNew(state, { ...buildNextItem(state, kind, index), part: id, text: '', pieces: undefined });
  const item = found ?? opened.state.items.at(-1);
  if (!item || !isText(item)) return opened;
  const added = addText(item, index, text);
  return {
    state: { ...opened.state, items: replaceItem(opened.state.items, item, added.item) },
    events: [...opened.events, ...added.events],
  };
}

function closePart(state: ResponseState, part: string): ResponseStep {
  const found = state.items.findLast(isOpenPart(part));
  return found && isText(found) ? closeOne(state, found, 'completed') : { state, events: [] };
}

function beginCall(state: ResponseState, index: number, { payload }: ChunkOf<'tool-call'>): ResponseStep {
  const { toolCallId, toolName, args, argsText } = payload;
  const item: CallItem = {
    ...buildNextItem(state, 'call', index),
    callId: toolCallId,
    name: toolName,
    args: stringify(args, argsText),
    output: null,
    error: null,
    endedAt: undefined,
  };
  return {
    state: { ...state, opened: state.opened + 1, items: [...state.items, item] },
    events: openCall(item),
  };
}

type OutcomeChunk = ChunkOf<'tool-result' | 'tool-error' | 'tool-output-denied'>;

function endCall(state: ResponseState, index: number, chunk: OutcomeChunk): ResponseStep {
  const { toolCallId } = chunk.payload;
  const item = state.items.findLast(
    (one): one is CallItem => one.kind === 'call' && one.callId === toolCallId && one.status === 'in_progress',
  );
  if (!item || (chunk.type === 'tool-result' && chunk.payload['preliminary'] === true)) return { state, events: [] };
  const closed = closeCall(item, { ...readOutcome(chunk), endedAt: index });
  return { state: { ...state, items: replaceItem(state.items, item, closed.item) }, events: closed.events };
}

function readOutcome(chunk: OutcomeChunk) {
  if (chunk.type === 'tool-output-denied') return { output: null, error: chunk.payload.reason };
  if (chunk.type === 'tool-error')
    return { output: null, error: stringify(chunk.payload.error, chunk.payload.errorText) };
  const text = stringify(chunk.payload.result, chunk.payload.resultText);
  return chunk.payload.isError === true ? { output: null, error: text } : { output: text, error: null };
}

/** Returns whether a retraction from an index on changes the item. */
const isHit = (item: OutputItem, from: number): boolean =>
  item.from >= from ||
  (isText(item) && cutText(item, from).text !== item.text) ||
  (item.kind === 'call' && item.endedAt !== undefined && item.endedAt >= from);

/**
 * Drops the items from an index on. The text of an item before the index, and a call without its outcome, continue in a
 * new item.
 */
function retract(state: ResponseState, index: number, from: number): ResponseStep {
  const hit = state.items.filter((item) => isHit(item, from));
  if (hit.length === 0) return { state, events: [] };
  const events = hit.flatMap(closeRetracted);
  let next: ResponseState = { ...state, items: state.items.filter((item) => !hit.includes(item)) };
  for (const item of hit) {
    if (item.from >= from) continue;
    if (item.kind === 'call') {
      const reopened = reopenCall(next, item);
      next = reopened.state;
      events.push(...reopened.events);
    }
    if (!isText(item)) continue;
    const kept = cutText(item, from);
    if (kept.text === '') continue;
    const opened = openNew(next, {
      ...buildNextItem(next, item.kind, item.from),
      part: item.part,
      text: '',
      pieces: undefined,
    });
    const last = opened.state.items.at(-1);
    if (!last || !isText(last)) continue;
    const added = addText(last, index, kept.text);
    next = { ...opened.state, items: replaceItem(opened.state.items, last, { ...last, ...kept }) };
    events.push(...opened.events, ...added.events);
  }
  return { state: next, events };
}

function reopenCall(state: ResponseState, item: CallItem): ResponseStep {
  const open = { output: null, error: null, endedAt: undefined };
  const reopened: CallItem = { ...item, ...buildNextItem(state, 'call', item.from), ...open };
  return {
    state: { ...state, opened: state.opened + 1, items: [...state.items, reopened] },
    events: openCall(reopened),
  };
}

function closeRetracted(item: OutputItem): ResponseEvent[] {
  if (item.status !== 'in_progress') return [];
  if (isText(item)) return [...closeText(item, 'incomplete').events];
  return item.kind === 'call'
    ? [...closeCall(item, { output: null, error: 'retracted', endedAt: undefined }).events]
    : [];
}

function end(state: ResponseState, index: number, chunk: Chunk): ResponseStep {
  switch (chunk.type) {
    case 'finish': {
      const closed = closeAll(state, 'completed');
      const usage = readUsage(chunk.payload.output);
      return { ...closed, state: { ...closed.state, usage, status: 'completed' } };
    }
    case 'tripwire':
      return block(state, index, { reason: chunk.payload.reason, processor: chunk.payload.processorId });
    case 'suspended':
      return suspend(state, index, chunk.payload.pending ?? []);
    case 'error': {
      const error = readError(chunk.payload.error);
      return isObjectBroken(error) ? refuseBroken(state, index, error.message) : fail(state, 'failed', error);
    }
    case 'abort':
      return fail(state, 'cancelled', { code: 'run-cancelled', message: 'The run was cancelled.' });
    default:
      return { state, events: [] };
  }
}

function refuse(state: ResponseState, index: number, reason: string): ResponseStep {
  const closed = closeAll(state, 'incomplete');
  const refused = addMessage(closed.state, index, 'refusal', reason);
  return { state: { ...refused.state, status: 'completed' }, events: [...closed.events, ...refused.events] };
}

/** The final output omits the messages after the last call: a client would read the broken object as one of its schema. */
function refuseBroken(state: ResponseState, index: number, reason: string): ResponseStep {
  const refused = refuse(state, index, reason);
  const { items } = refused.state;
  const lastCall = items.findLastIndex(({ kind }) => kind === 'call');
  return {
    ...refused,
    state: { ...refused.state, items: items.filter(({ kind }, at) => at <= lastCall || kind !== 'message') },
  };
}

function block(state: ResponseState, index: number, blocked: NonNullable<ResponseState['blocked']>): ResponseStep {
  const refused = refuse(state, index, blocked.reason);
  return { ...refused, state: { ...refused.state, blocked } };
}

function fail(state: ResponseState, status: 'failed' | 'cancelled', error: WireError): ResponseStep {
  const closed = closeAll(state, 'incomplete');
  return { ...closed, state: { ...closed.state, status, error } };
}
