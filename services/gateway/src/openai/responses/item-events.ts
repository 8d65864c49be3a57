// The changes of output items, each with its events.
import {
  announceItem,
  closeItem,
  describeDelta,
  finishItem,
  openItem,
  placeItem,
  type ResponseEvent,
} from '@millrace/openai-wire';
import {
  appendText,
  describeItem,
  type CallItem,
  type FunctionItem,
  type OutputItem,
  type TextItem,
} from './response-items.ts';

export const addText = (item: TextItem, index: number, text: string): { item: TextItem; events: ResponseEvent[] } => ({
  item: appendText(item, index, text),
  events: [describeDelta(item, text)],
});

/** @param status incomplete: the text was cut off or retracted */
export function closeText(
  item: TextItem,
  status: 'completed' | 'incomplete',
): { item: TextItem; events: ResponseEvent[] } {
  const closed: TextItem = { ...item, status };
  return { item: closed, events: closeItem(closed) };
}

export const openCall = (item: CallItem): ResponseEvent[] => [
  announceItem(item, describeItem(item)),
  { type: 'response.mcp_call.in_progress', ...placeItem(item) },
  { type: 'response.mcp_call_arguments.done', ...placeItem(item), arguments: item.args },
];

type CallEnd = Pick<CallItem, 'output' | 'error' | 'endedAt'>;

export function closeCall(item: CallItem, outcome: CallEnd): { item: CallItem; events: ResponseEvent[] } {
  const closed: CallItem = { ...item, ...outcome, status: outcome.error === null ? 'completed' : 'incomplete' };
  const type = outcome.error === null ? 'response.mcp_call.completed' : 'response.mcp_call.failed';
  return { item: closed, events: [{ type, ...placeItem(item) }, finishItem(closed, describeItem(closed))] };
}

/** The readers of the clients join the arguments from their pieces. */
export const addFunctionCall = (item: FunctionItem): ResponseEvent[] => [
  ...openItem({ ...item, status: 'in_progress' }),
  describeDelta(item, item.args),
  ...closeItem(item),
];

export const addWhole = (item: OutputItem): ResponseEvent[] => [
  announceItem(item, describeItem(item)),
  finishItem(item, describeItem(item)),
];
