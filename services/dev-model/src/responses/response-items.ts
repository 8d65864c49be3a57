// A reply as the items of a response: the reasoning, the message, then one item for each function call, each with an id
// of its own. Shapes: https://platform.openai.com/docs/api-reference/responses/object
import { createId } from '../api/wire.ts';
import type { ModelReply } from '../reply.ts';
import { sealReasoning } from './sealed-reasoning.ts';

type ReasoningItem = { readonly type: 'reasoning'; readonly id: string; readonly text: string };
type MessageItem = { readonly type: 'message'; readonly id: string; readonly text: string };
type FunctionCallItem = {
  readonly type: 'function_call';
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
};

export type ResponseItem = ReasoningItem | MessageItem | FunctionCallItem;

export function toResponseItems(reply: ModelReply): ResponseItem[] {
  const items: ResponseItem[] = [];
  if (reply.reasoning !== '') items.push({ type: 'reasoning', id: createId('rs_'), text: reply.reasoning });
  // An empty answer is still an empty message.
  if (reply.text !== '' || reply.toolCalls.length === 0) {
    items.push({ type: 'message', id: createId('msg_'), text: reply.text });
  }
  for (const { id: callId = createId('call_'), name, arguments: args } of reply.toolCalls) {
    items.push({ type: 'function_call', id: createId('fc_'), callId, name, arguments: args });
  }
  return items;
}

type Status = 'in_progress' | 'completed' | 'incomplete';

/** The item as the API shows it: empty while in progress, whole once it is done. */
export function buildItemJson(item: ResponseItem, status: Status, encryptedReasoning: boolean): object {
  const begun = status === 'in_progress';
  switch (item.type) {
    case 'reasoning':
      return {
        id: item.id,
        type: item.type,
        summary: begun ? [] : [{ type: 'summary_text', text: item.text }],
        // A client that does not store requests this and sends it back.
        ...(encryptedReasoning && { encrypted_content: sealReasoning(item.id) }),
      };
    case 'message':
      return {
        id: item.id,
        type: item.type,
        status,
        role: 'assistant',
        content: begun ? [] : [buildTextPart(item.text)],
      };
    case 'function_call':
      return {
        id: item.id,
        type: item.type,
        status,
        call_id: item.callId,
        name: item.name,
        arguments: begun ? '' : item.arguments,
      };
  }
}

export const buildTextPart = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] });
