// Serializes replies as responses, whole and as events. With `store` it stores the texts for later references to their
// items. Shapes: https://platform.openai.com/docs/api-reference/responses/object
import { createId, readUnixSeconds, type Frame, type ApiWire } from '../api/wire.ts';
import type { ServedCall } from '../conversation.ts';
import { countUsage } from '../output-limit.ts';
import type { ModelReply, ReplyFailure } from '../reply.ts';
import type { ItemStore } from './item-store.ts';
import { createEventWriter, generateItemEvents } from './response-events.ts';
import { buildItemJson, toResponseItems, type ResponseItem } from './response-items.ts';

export type ResponsesWireOptions = {
  /** Store of the answers, or undefined if the caller disabled it. */
  readonly store: ItemStore | undefined;
  readonly encryptedReasoning: boolean;
};

export const createResponsesWire = (options: ResponsesWireOptions): ApiWire => ({
  frames: (call, reply) => generateResponseFrames(call, reply, options),
  body(call, reply) {
    const items = toResponseItems(reply);
    keep(items, options.store);
    return finishResponse(startResponse(call, options), call, reply, items, options);
  },
});

function* generateResponseFrames(
  call: ServedCall,
  reply: ModelReply,
  options: ResponsesWireOptions,
): Generator<Frame, void> {
  const response = startResponse(call, options);
  const items = toResponseItems(reply);
  const writer = createEventWriter();

  yield writer.event('response.created', { response });
  yield writer.event('response.in_progress', { response });
  for (const [outputIndex, item] of items.entries()) {
    yield* generateItemEvents(item, writer, {
      outputIndex,
      chunkSize: reply.chunkSize,
      encryptedReasoning: options.encryptedReasoning,
      finalStatus: readStatus(reply),
      breaksOff: reply.failure !== undefined && outputIndex === items.length - 1,
    });
  }
  if (reply.failure !== undefined) {
    yield writer.event('error', buildFailureFields(reply.failure));
    return;
  }
  keep(items, options.store);
  const type = readStatus(reply) === 'incomplete' ? 'response.incomplete' : 'response.completed';
  yield writer.event(type, { response: finishResponse(response, call, reply, items, options) });
}

function keep(items: readonly ResponseItem[], store: ItemStore | undefined): void {
  for (const item of items) {
    if (item.type !== 'function_call') store?.put(item.id, item.type === 'message' ? item.text : '');
  }
}

const startResponse = (call: ServedCall, options: ResponsesWireOptions) => ({
  id: createId('resp_'),
  object: 'response',
  created_at: readUnixSeconds(),
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: call.maxOutputTokens ?? null,
  model: call.model,
  output: [],
  parallel_tool_calls: call.conversation.parallelToolCalls,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: options.store !== undefined,
  usage: null,
  metadata: {},
});

function finishResponse(
  response: ReturnType<typeof startResponse>,
  call: ServedCall,
  reply: ModelReply,
  items: readonly ResponseItem[],
  options: ResponsesWireOptions,
): object {
  const { input, output, reasoning } = countUsage(call, reply);
  const status = readStatus(reply);
  return {
    ...response,
    status,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: items.map((item) => buildItemJson(item, status, options.encryptedReasoning)),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    },
  };
}

const readStatus = (reply: ModelReply): 'completed' | 'incomplete' =>
  reply.finish === 'length' ? 'incomplete' : 'completed';

/** A started stream has no status line: the code carries the status, and the client reads it there. */
const buildFailureFields = ({ status, message }: ReplyFailure): object => ({
  code: String(status),
  message,
  param: null,
});
