// The events of single output items, in the order that the strict readers of the openai clients require.
import { describeTextPart, describeWrittenItem, type ItemPlace, type WrittenItem } from './response-item.ts';
import type { ResponseEvent } from './response.ts';

/** Names of the events of a text, and the members that place it. `whole` is the member with all of the text. */
const TEXTS = {
  message: {
    text: 'output_text',
    part: 'content_part',
    at: { content_index: 0 },
    more: { logprobs: [] },
    whole: 'text',
  },
  refusal: { text: 'refusal', part: 'content_part', at: { content_index: 0 }, more: {}, whole: 'refusal' },
  reasoning: {
    text: 'reasoning_summary_text',
    part: 'reasoning_summary_part',
    at: { summary_index: 0 },
    more: {},
    whole: 'text',
  },
} as const;

export const placeItem = ({ id, outputIndex }: ItemPlace) => ({ item_id: id, output_index: outputIndex });

/** @param item as `describeWrittenItem` returns it */
export const announceItem = ({ outputIndex }: ItemPlace, item: object): ResponseEvent => ({
  type: 'response.output_item.added',
  output_index: outputIndex,
  item,
});

/** @param item as `describeWrittenItem` returns it */
export const finishItem = ({ outputIndex }: ItemPlace, item: object): ResponseEvent => ({
  type: 'response.output_item.done',
  output_index: outputIndex,
  item,
});

/** Returns the events before the first piece. @param item with the status in_progress */
export function openItem(item: WrittenItem): ResponseEvent[] {
  if (item.kind === 'function') return [announceItem(item, describeWrittenItem({ ...item, args: '' }))];
  const { part, at } = TEXTS[item.kind];
  const opened = { type: `response.${part}.added`, ...placeItem(item), ...at, part: describeTextPart(item.kind, '') };
  return [announceItem(item, describeWrittenItem(item)), opened];
}

/** @param delta next piece of the text, or of the arguments */
export function describeDelta(item: WrittenItem, delta: string): ResponseEvent {
  if (item.kind === 'function') return { type: 'response.function_call_arguments.delta', ...placeItem(item), delta };
  const { text, at, more } = TEXTS[item.kind];
  return { type: `response.${text}.delta`, ...placeItem(item), ...at, ...more, delta };
}

/** Returns the events after the last piece. @param item with the status of its end */
export function closeItem(item: WrittenItem): ResponseEvent[] {
  const finished = finishItem(item, describeWrittenItem(item));
  if (item.kind === 'function') {
    const { name, args } = item;
    return [{ type: 'response.function_call_arguments.done', ...placeItem(item), name, arguments: args }, finished];
  }
  const { text, part, at, more, whole } = TEXTS[item.kind];
  const place = { ...placeItem(item), ...at };
  return [
    { type: `response.${text}.done`, ...place, ...more, [whole]: item.text },
    { type: `response.${part}.done`, ...place, part: describeTextPart(item.kind, item.text) },
    finished,
  ];
}
