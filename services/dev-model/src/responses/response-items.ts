// A reply as the items of a response: the reasoning, the message, then one item for each function call, each with an id
// of its own.
import type { WrittenItem } from '@millrace/openai-wire';
import { createId } from '../api/wire.ts';
import type { ModelReply } from '../reply.ts';
import { sealReasoning } from './sealed-reasoning.ts';

/** Returns the items as they end. */
export function toResponseItems(reply: ModelReply, encryptedReasoning: boolean): WrittenItem[] {
  const { reasoning, text, toolCalls } = reply;
  const items: WrittenItem[] = [];
  const place = (prefix: string) => ({ id: createId(prefix), outputIndex: items.length, status: readStatus(reply) });
  if (reasoning !== '') {
    const head = place('rs_');
    const sealed = encryptedReasoning && { sealed: sealReasoning(head.id) };
    items.push({ ...head, kind: 'reasoning', text: reasoning, ...sealed });
  }
  // An empty answer is still an empty message.
  if (text !== '' || toolCalls.length === 0) items.push({ ...place('msg_'), kind: 'message', text });
  for (const { id: callId = createId('call_'), name, arguments: args } of toolCalls)
    items.push({ ...place('fc_'), kind: 'function', callId, name, args });
  return items;
}

export const readStatus = (reply: ModelReply): 'completed' | 'incomplete' =>
  reply.finish === 'length' ? 'incomplete' : 'completed';
