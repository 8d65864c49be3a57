// Serializes one output item as server-sent events, from its `added` to its `done`. Each delta's fixed part is
// serialized once per item. Events: https://platform.openai.com/docs/api-reference/responses-streaming
import { pause, type Frame } from '../api/wire.ts';
import { splitChunks } from '../reply.ts';
import { buildItemJson, buildTextPart, type ResponseItem } from './response-items.ts';

/** Numbers the events of one response. Shares `isFirstDelta`, because pauses separate the deltas of all items. */
export type EventWriter = {
  readonly event: (type: string, fields: object) => string;
  /** Like event, for a delta with fixed fields as JSON without the closing brace. */
  readonly deltaEvent: (type: string, fixedJson: string, delta: string) => string;
  isFirstDelta: boolean;
};

export function createEventWriter(): EventWriter {
  let sequenceNumber = 0;
  return {
    event: (type, fields) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequenceNumber++, ...fields })}\n\n`,
    deltaEvent: (type, fixedJson, delta) =>
      `event: ${type}\ndata: ${fixedJson},"delta":${JSON.stringify(delta)},"sequence_number":${sequenceNumber++}}\n\n`,
    isFirstDelta: true,
  };
}

export type ItemContext = {
  readonly outputIndex: number;
  readonly chunkSize: number;
  readonly encryptedReasoning: boolean;
  readonly finalStatus: 'completed' | 'incomplete';
  /** Whether the answer breaks off; then the last item has no end. */
  readonly breaksOff: boolean;
};

export function* generateItemEvents(
  item: ResponseItem,
  writer: EventWriter,
  context: ItemContext,
): Generator<Frame, void> {
  const { outputIndex, encryptedReasoning } = context;
  const added = buildItemJson(item, 'in_progress', encryptedReasoning);
  yield writer.event('response.output_item.added', { output_index: outputIndex, item: added });
  yield* generateContentEvents(item, writer, context);
  if (context.breaksOff) return;
  const done = buildItemJson(item, context.finalStatus, encryptedReasoning);
  yield writer.event('response.output_item.done', { output_index: outputIndex, item: done });
}

function* generateContentEvents(item: ResponseItem, writer: EventWriter, context: ItemContext): Generator<Frame, void> {
  const place = { item_id: item.id, output_index: context.outputIndex };
  const end = (type: string, fields: object): string => (context.breaksOff ? '' : writer.event(type, fields));
  switch (item.type) {
    case 'reasoning': {
      const part = { ...place, summary_index: 0 };
      yield writer.event('response.reasoning_summary_part.added', { ...part, part: buildSummaryPart('') });
      yield* generateDeltas('response.reasoning_summary_text.delta', part, item.text, writer, context.chunkSize);
      yield end('response.reasoning_summary_text.done', { ...part, text: item.text });
      yield end('response.reasoning_summary_part.done', { ...part, part: buildSummaryPart(item.text) });
      return;
    }
    case 'message': {
      const part = { ...place, content_index: 0 };
      yield writer.event('response.content_part.added', { ...part, part: buildTextPart('') });
      yield* generateDeltas(
        'response.output_text.delta',
        { ...part, logprobs: [] },
        item.text,
        writer,
        context.chunkSize,
      );
      yield end('response.output_text.done', { ...part, text: item.text, logprobs: [] });
      yield end('response.content_part.done', { ...part, part: buildTextPart(item.text) });
      return;
    }
    case 'function_call': {
      yield* generateDeltas('response.function_call_arguments.delta', place, item.arguments, writer, context.chunkSize);
      yield end('response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments });
      return;
    }
  }
}

function* generateDeltas(
  type: string,
  fields: object,
  text: string,
  writer: EventWriter,
  chunkSize: number,
): Generator<Frame, void> {
  const fixedJson = JSON.stringify({ type, ...fields }).slice(0, -1);
  for (const piece of splitChunks(text, chunkSize)) {
    if (!writer.isFirstDelta) yield pause;
    writer.isFirstDelta = false;
    yield writer.deltaEvent(type, fixedJson, piece);
  }
}

const buildSummaryPart = (text: string): object => ({ type: 'summary_text', text });
