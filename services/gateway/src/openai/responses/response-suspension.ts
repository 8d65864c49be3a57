// Converts the questions of a suspended run to the items of a response.
import type { ChunkOf, ShownPending } from '@millrace/contracts';
import { listClientCalls, type ClientCall } from '../../agents/client-calls.ts';
import { describePending } from '../chat/chat-state.ts';
import type { ResponseEvent } from '@millrace/openai-wire';
import { addFunctionCall, addWhole } from './item-events.ts';
import { addMessage, closeAll, buildNextItem, type ResponseStep, type ResponseState } from './response-changes.ts';
import { stringify, type FunctionItem, type OutputItem } from './response-items.ts';

const spellApprovalId = (runId: string, pendingId: string): string => `mcpr_${runId}.${pendingId}`;

/**
 * A call of the client's tool is a function call, a question about another call an approval request; another question,
 * and an operator's approval, is a text.
 */
export function suspend(state: ResponseState, index: number, pending: readonly ShownPending[]): ResponseStep {
  const closed = closeAll(state, 'completed');
  const requests = pending.filter(({ kind, toolCall, stage }) => kind === 'question' && toolCall && stage);
  const others = pending.filter((item) => item.clientCall === undefined && !requests.includes(item));
  let next = closed;
  for (const call of listClientCalls(state.runId, pending)) next = addCall(next, index, call);
  for (const request of requests) next = addRequest(next, index, request);
  const message = others.length === 0 ? undefined : addMessage(next.state, index, 'message', describePending(others));
  return {
    state: { ...(message?.state ?? next.state), status: 'completed', isSuspended: true },
    events: [...next.events, ...(message?.events ?? [])],
  };
}

/**
 * Adds the answered calls of the client's tools to a response that is read from the start of its run. A response that
 * continues the run begins behind them.
 */
export function addSettled(state: ResponseState, index: number, { payload }: ChunkOf<'resumed'>): ResponseStep {
  let next: ResponseStep = { state, events: [] };
  if (state.itemBase !== state.runId) return next;
  for (const call of listClientCalls(state.runId, payload.clientCalls ?? [])) next = addCall(next, index, call);
  return next;
}

function addCall(before: ResponseStep, index: number, { id, name, argsText }: ClientCall): ResponseStep {
  const base = buildNextItem(before.state, 'function', index);
  const item: FunctionItem = { ...base, status: 'completed', callId: id, name, args: argsText };
  return append(before, item, addFunctionCall(item));
}

function addRequest(before: ResponseStep, index: number, { id, toolCall }: ShownPending): ResponseStep {
  const item: OutputItem = {
    ...buildNextItem(before.state, 'approval', index),
    id: spellApprovalId(before.state.runId, id),
    status: 'completed',
    name: toolCall?.toolName ?? '',
    args: stringify(toolCall?.args, toolCall?.argsText),
  };
  return append(before, item, addWhole(item));
}

const append = ({ state, events }: ResponseStep, item: OutputItem, added: readonly ResponseEvent[]): ResponseStep => ({
  state: { ...state, opened: state.opened + 1, items: [...state.items, item] },
  events: [...events, ...added],
});
