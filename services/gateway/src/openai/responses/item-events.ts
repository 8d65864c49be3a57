// The events of single output items, in the order that the strict readers of the openai clients require.
import {
  appendText,
  describeItem,
  describeRefusalPart,
  describeSummaryPart,
  describeTextPart,
  type CallItem,
  type FunctionItem,
  type OutputItem,
  type TextItem,
} from './response-items.ts';

export type ResponseEvent = { type: string; [member: string]: unknown };

const placeItem = ({ id, outputIndex }: OutputItem) => ({ item_id: id, output_index: outputIndex });

const addItem = (item: OutputItem): ResponseEvent => ({
  type: 'response.output_item.added',
  output_index: item.outputIndex,
  item: describeItem(item),
});

const finishItem = (item: OutputItem): ResponseEvent => ({
  type: 'response.output_item.done',
  output_index: item.outputIndex,
  item: describeItem(item),
});

export function openText(item: TextItem): ResponseEvent[] {
  const place = placeItem(item);
  if (item.kind === 'reasoning')
    return [
      addItem(item),
      { type: 'response.reasoning_summary_part.added', ...place, summary_index: 0, part: describeSummaryPart('') },
    ];
  const part = item.kind === 'refusal' ? describeRefusalPart('') : describeTextPart('');
  return [addItem(item), { type: 'response.content_part.added', ...place, content_index: 0, part }];
}

const DELTAS = {
  message: { type: 'response.output_text.delta', content_index: 0, logprobs: [] },
  refusal: { type: 'response.refusal.delta', content_index: 0 },
  reasoning: { type: 'response.reasoning_summary_text.delta', summary_index: 0 },
} as const;

export function addText(item: TextItem, index: number, text: string): { item: TextItem; events: ResponseEvent[] } {
  const event = { ...DELTAS[item.kind], ...placeItem(item), delta: text };
  return { item: appendText(item, index, text), events: [event] };
}

/** @param status incomplete: the text was cut off or retracted */
export function closeText(
  item: TextItem,
  status: 'completed' | 'incomplete',
): { item: TextItem; events: ResponseEvent[] } {
  const closed: TextItem = { ...item, status };
  const place = placeItem(item);
  const { text } = item;
  if (item.kind === 'reasoning') {
    const part = { ...place, summary_index: 0 };
    return {
      item: closed,
      events: [
        { type: 'response.reasoning_summary_text.done', ...part, text },
        { type: 'response.reasoning_summary_part.done', ...part, part: describeSummaryPart(text) },
        finishItem(closed),
      ],
    };
  }
  const isRefusal = item.kind === 'refusal';
  const content = { ...place, content_index: 0 };
  const whole = isRefusal
    ? { type: 'response.refusal.done', ...content, refusal: text }
    : { type: 'response.output_text.done', ...content, text, logprobs: [] };
  const part = isRefusal ? describeRefusalPart(text) : describeTextPart(text);
  return {
    item: closed,
    events: [whole, { type: 'response.content_part.done', ...content, part }, finishItem(closed)],
  };
}

export const openCall = (item: CallItem): ResponseEvent[] => [
  addItem(item),
  { type: 'response.mcp_call.in_progress', ...placeItem(item) },
  { type: 'response.mcp_call_arguments.done', ...placeItem(item), arguments: item.args },
];

type CallEnd = Pick<CallItem, 'output' | 'error' | 'endedAt'>;

export function closeCall(item: CallItem, outcome: CallEnd): { item: CallItem; events: ResponseEvent[] } {
  const closed: CallItem = { ...item, ...outcome, status: outcome.error === null ? 'completed' : 'incomplete' };
  const type = outcome.error === null ? 'response.mcp_call.completed' : 'response.mcp_call.failed';
  return { item: closed, events: [{ type, ...placeItem(item) }, finishItem(closed)] };
}

/** The readers of the clients join the arguments from their pieces. */
export function addFunctionCall(item: FunctionItem): ResponseEvent[] {
  const place = placeItem(item);
  const { args } = item;
  return [
    addItem({ ...item, status: 'in_progress', args: '' }),
    { type: 'response.function_call_arguments.delta', ...place, delta: args },
    { type: 'response.function_call_arguments.done', ...place, name: item.name, arguments: args },
    finishItem(item),
  ];
}

export const addWhole = (item: OutputItem): ResponseEvent[] => [addItem(item), finishItem(item)];
