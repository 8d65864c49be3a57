// Serializes replies as responses, whole and as events. With `store` it stores the texts for later references to their
// items.
import {
  closeItem,
  describeDelta,
  describeResponseObject,
  describeWrittenItem,
  formatResponseEvent,
  openItem,
  type ResponseEvent,
  type WrittenItem,
} from '@millrace/openai-wire';
import { createId, pause, readUnixSeconds, type Frame, type ApiWire } from '../api/wire.ts';
import type { ServedCall } from '../conversation.ts';
import { countUsage } from '../output-limit.ts';
import { splitChunks, type ModelReply, type ReplyFailure } from '../reply.ts';
import type { ItemStore } from './item-store.ts';
import { readStatus, toResponseItems } from './response-items.ts';

export type ResponsesWireOptions = {
  /** Store of the answers, or undefined if the caller disabled it. */
  readonly store: ItemStore | undefined;
  readonly encryptedReasoning: boolean;
};

export const createResponsesWire = (options: ResponsesWireOptions): ApiWire => ({
  frames: (call, reply) => generateResponseFrames(call, reply, options),
  body(call, reply) {
    const items = toResponseItems(reply, options.encryptedReasoning);
    keep(items, options.store);
    return finishResponse(startResponse(call, options), call, reply, items);
  },
});

function* generateResponseFrames(
  call: ServedCall,
  reply: ModelReply,
  options: ResponsesWireOptions,
): Generator<Frame, void> {
  const head = startResponse(call, options);
  const response = describeResponseObject(head);
  const items = toResponseItems(reply, options.encryptedReasoning);
  let number = 0;
  let isFirst = true;
  const format = (event: ResponseEvent): string => formatResponseEvent(event, number++);

  yield format({ type: 'response.created', response });
  yield format({ type: 'response.in_progress', response });
  for (const item of items) {
    yield* openItem({ ...item, status: 'in_progress' }).map(format);
    for (const piece of splitChunks(item.kind === 'function' ? item.args : item.text, reply.chunkSize)) {
      if (!isFirst) yield pause;
      isFirst = false;
      yield format(describeDelta(item, piece));
    }
    // The last item of an answer that breaks off has no end.
    if (reply.failure === undefined || item !== items.at(-1)) yield* closeItem(item).map(format);
  }
  if (reply.failure !== undefined) {
    yield format(describeFailure(reply.failure));
    return;
  }
  keep(items, options.store);
  yield format({ type: `response.${readStatus(reply)}`, response: finishResponse(head, call, reply, items) });
}

function keep(items: readonly WrittenItem[], store: ItemStore | undefined): void {
  for (const item of items) if (item.kind !== 'function') store?.put(item.id, item.kind === 'message' ? item.text : '');
}

const startResponse = (call: ServedCall, options: ResponsesWireOptions) => ({
  id: createId('resp_'),
  created_at: readUnixSeconds(),
  status: 'in_progress' as const,
  max_output_tokens: call.maxOutputTokens ?? null,
  model: call.model,
  parallel_tool_calls: call.conversation.parallelToolCalls,
  store: options.store !== undefined,
});

function finishResponse(
  head: ReturnType<typeof startResponse>,
  call: ServedCall,
  reply: ModelReply,
  items: readonly WrittenItem[],
): object {
  const status = readStatus(reply);
  const incomplete = status === 'incomplete' ? { reason: 'max_output_tokens' } : null;
  const members = { ...head, status, incomplete_details: incomplete, output: items.map(describeWrittenItem) };
  return describeResponseObject(members, countUsage(call, reply));
}

/** A started stream has no status line: the code carries the status, and the client reads it there. */
const describeFailure = ({ status, message }: ReplyFailure): ResponseEvent => ({
  type: 'error',
  code: String(status),
  message,
  param: null,
});
