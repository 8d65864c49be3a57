// Replies as responses, whole and as events. With `store` the texts are kept for later references to their items.
// Shapes: https://platform.openai.com/docs/api-reference/responses/object
import { newId, unixSeconds, type Frame, type Wire } from '../api/wire.ts';
import type { ModelCall } from '../conversation.ts';
import { usageOf } from '../output-limit.ts';
import type { Reply, ReplyFailure } from '../reply.ts';
import type { ItemStore } from './item-store.ts';
import { createEventWriter, itemEvents } from './response-events.ts';
import { itemJson, itemsOf, type ResponseItem } from './response-items.ts';

export type ResponsesWireOptions = {
  /** Where answers are kept, or undefined where the caller asked that they are not. */
  readonly store: ItemStore | undefined;
  readonly encryptedReasoning: boolean;
};

export const responsesWire = (options: ResponsesWireOptions): Wire => ({
  frames: (call, reply) => responseFrames(call, reply, options),
  body(call, reply) {
    const items = itemsOf(reply);
    keep(items, options.store);
    return finished(begun(call, options), call, reply, items, options);
  },
});

function* responseFrames(call: ModelCall, reply: Reply, options: ResponsesWireOptions): Generator<Frame, void> {
  const response = begun(call, options);
  const items = itemsOf(reply);
  const writer = createEventWriter();

  yield writer.event('response.created', { response });
  yield writer.event('response.in_progress', { response });
  for (const [outputIndex, item] of items.entries()) {
    yield* itemEvents(item, writer, {
      outputIndex,
      chunkSize: reply.chunkSize,
      encryptedReasoning: options.encryptedReasoning,
      finalStatus: statusOf(reply),
      breaksOff: reply.failure !== undefined && outputIndex === items.length - 1,
    });
  }
  if (reply.failure !== undefined) {
    yield writer.event('error', failureFields(reply.failure));
    return;
  }
  keep(items, options.store);
  const type = statusOf(reply) === 'incomplete' ? 'response.incomplete' : 'response.completed';
  yield writer.event(type, { response: finished(response, call, reply, items, options) });
}

function keep(items: readonly ResponseItem[], store: ItemStore | undefined): void {
  for (const item of items) {
    if (item.type !== 'function_call') store?.put(item.id, item.type === 'message' ? item.text : '');
  }
}

const begun = (call: ModelCall, options: ResponsesWireOptions) => ({
  id: newId('resp_'),
  object: 'response',
  created_at: unixSeconds(),
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

function finished(
  response: ReturnType<typeof begun>,
  call: ModelCall,
  reply: Reply,
  items: readonly ResponseItem[],
  options: ResponsesWireOptions,
): object {
  const { input, output, reasoning } = usageOf(call, reply);
  const status = statusOf(reply);
  return {
    ...response,
    status,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: items.map((item) => itemJson(item, status, options.encryptedReasoning)),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    },
  };
}

const statusOf = (reply: Reply): 'completed' | 'incomplete' => (reply.finish === 'length' ? 'incomplete' : 'completed');

/** In mid-stream there is no status line any more: the status travels as the code, where the client looks for one. */
const failureFields = ({ status, message }: ReplyFailure): object => ({ code: String(status), message, param: null });
