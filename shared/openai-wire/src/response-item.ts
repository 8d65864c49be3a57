// The items of a response that any model writes: texts, and calls of the client's functions.

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';
export type ItemPlace = { id: string; outputIndex: number };
type ItemHead = ItemPlace & { status: ItemStatus };

/** @param sealed encrypted content of reasoning, which a client that does not store sends back */
export type WrittenText = ItemHead & { kind: 'message' | 'reasoning' | 'refusal'; text: string; sealed?: string };
export type WrittenCall = ItemHead & { kind: 'function'; callId: string; name: string; args: string };
export type WrittenItem = WrittenText | WrittenCall;

export function describeTextPart(kind: WrittenText['kind'], text: string): object {
  if (kind === 'reasoning') return { type: 'summary_text', text };
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Describes an item as the protocol shows it: a text that is in progress has no content yet. */
export function describeWrittenItem(item: WrittenItem): object {
  const { id, status } = item;
  if (item.kind === 'function')
    return { id, type: 'function_call', status, call_id: item.callId, name: item.name, arguments: item.args };
  const content = status === 'in_progress' ? [] : [describeTextPart(item.kind, item.text)];
  if (item.kind !== 'reasoning') return { id, type: 'message', status, role: 'assistant', content };
  return {
    id,
    type: 'reasoning',
    summary: content,
    ...(item.sealed !== undefined && { encrypted_content: item.sealed }),
  };
}
