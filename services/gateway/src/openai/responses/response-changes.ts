// The state of a response, and the changes of it that several chunks cause. Pure.
import type { Usage, WireError } from '@millrace/contracts';
import { openItem, type ResponseEvent } from '@millrace/openai-wire';
import { addText, closeText } from './item-events.ts';
import type { OutputItem, TextItem } from './response-items.ts';

type ResponseStatus = 'in_progress' | 'completed' | 'failed' | 'cancelled';
export type ResponseState = {
  runId: string;
  /** Part of the ids of items: a response that continues a suspended run has other items than the first one. */
  itemBase: string;
  items: readonly OutputItem[];
  /** Number of items so far, retracted ones included: an output index is used once. */
  opened: number;
  usage: Usage | undefined;
  status: ResponseStatus;
  error: WireError | undefined;
  /** Reason of a block. */
  blocked: { reason: string; processor: string | undefined } | undefined;
  isSuspended: boolean;
};

export const startResponse = (runId: string, itemBase: string = runId): ResponseState => ({
  runId,
  itemBase,
  items: [],
  opened: 0,
  usage: undefined,
  status: 'in_progress',
  error: undefined,
  blocked: undefined,
  isSuspended: false,
});

export type ResponseStep = { state: ResponseState; events: readonly ResponseEvent[] };

export const isText = (item: OutputItem): item is TextItem =>
  item.kind === 'message' || item.kind === 'reasoning' || item.kind === 'refusal';

export const replaceItem = (items: readonly OutputItem[], old: OutputItem, changed: OutputItem): OutputItem[] =>
  items.with(items.lastIndexOf(old), changed);

const PREFIX = {
  message: 'msg',
  refusal: 'msg',
  reasoning: 'rs',
  call: 'mcp',
  approval: 'mcpr',
  function: 'fc',
} as const;

/** Returns the members that every item has. */
export function buildNextItem<K extends OutputItem['kind']>(
  { itemBase, opened }: ResponseState,
  kind: K,
  from: number,
) {
  const id = `${PREFIX[kind]}_${itemBase}_${opened}`;
  return { kind, id, outputIndex: opened, from, status: 'in_progress' as const };
}

export const openNew = (state: ResponseState, item: TextItem): ResponseStep => ({
  state: { ...state, opened: state.opened + 1, items: [...state.items, item] },
  events: openItem(item),
});

export function closeOne(state: ResponseState, item: TextItem, status: 'completed' | 'incomplete'): ResponseStep {
  const closed = closeText(item, status);
  return { state: { ...state, items: replaceItem(state.items, item, closed.item) }, events: closed.events };
}

export function closeAll(state: ResponseState, status: 'completed' | 'incomplete'): ResponseStep {
  let next: ResponseStep = { state, events: [] };
  for (const item of state.items) {
    if (item.status !== 'in_progress' || !isText(item)) continue;
    const closed = closeOne(next.state, item, status);
    next = { state: closed.state, events: [...next.events, ...closed.events] };
  }
  return next;
}

export function addMessage(
  state: ResponseState,
  index: number,
  kind: 'message' | 'refusal',
  text: string,
): ResponseStep {
  const item: TextItem = { ...buildNextItem(state, kind, index), part: '', text: '', pieces: undefined };
  const added = addText(item, index, text);
  const closed = closeText(added.item, 'completed');
  return {
    state: { ...state, opened: state.opened + 1, items: [...state.items, closed.item] },
    events: [...openItem(item), ...added.events, ...closed.events],
  };
}
