// Calls of the client's tools in the messages of a chat completion.
import { readJson, type JsonValue, type Message, type MessagePart } from '@millrace/contracts';
import { parseCallId, type CallResults } from '../../agents/client-calls.ts';
import { createMessage } from '../../agents/submitted-messages.ts';
import type { ChatMessage } from './chat-request.ts';

/** Returns the results after the last answer, if that answer has calls of a run. */
export function readChatResults(messages: readonly ChatMessage[]): CallResults | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant');
  const ids = (messages[at]?.tool_calls ?? []).map(({ id }) => id);
  const runId = ids.flatMap((id) => parseCallId(id) ?? [])[0]?.runId;
  if (runId === undefined) return undefined;
  const after = messages.slice(at + 1);
  const results = after.filter(({ role }) => role === 'tool');
  return {
    runId,
    results: results.map((message) => ({ id: message.tool_call_id ?? '', data: { output: readOutput(message) } })),
    isLast: results.length === after.length,
  };
}

/** A result is a text or a list of texts; a text with JSON is the JSON. */
function readOutput({ content }: ChatMessage): JsonValue {
  const text =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
  const read = /^\s*[[{]/.test(text) ? readJson(text) : undefined;
  return read ? read.value : text;
}

/** Returns the calls of an answer with their results, as parts of one message. */
export function convertCalls(
  { tool_calls: calls }: ChatMessage,
  all: readonly ChatMessage[],
): Extract<MessagePart, { type: 'tool-invocation' }>[] {
  return (calls ?? []).map(({ id, function: { name, arguments: text } }) => {
    const result = all.find(({ role, tool_call_id: of }) => role === 'tool' && of === id);
    const args = readJson(text);
    const call = { toolCallId: shorten(id), toolName: name, args: args ? args.value : text };
    return {
      type: 'tool-invocation',
      toolInvocation: result ? { ...call, state: 'result', result: readOutput(result) } : { ...call, state: 'call' },
    };
  });
}

/** Providers accept ids of 40 characters. */
const shorten = (id: string): string => id.replace(/^call_/, '').slice(-40);

/** A result without its call in the request is a text. */
export const convertLooseResult = (message: ChatMessage): Message => {
  const output = readOutput(message);
  return createMessage('tool', [{ type: 'text', text: typeof output === 'string' ? output : JSON.stringify(output) }]);
};
