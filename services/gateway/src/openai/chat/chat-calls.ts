// Calls of the client's tools in the messages of a chat completion.
import type { Message, ToolInvocationPart } from '@millrace/contracts';
import { buildOutput, parseCallId, type CallResults } from '../../agents/client-calls.ts';
import type { HistoryStep, MatchedCall } from '../../agents/match-calls.ts';
import { createResultFileError } from '../../agents/file-part.ts';
import { createMessage, convertCall } from '../../agents/submitted-messages.ts';
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
    results: results.map((message) => ({
      id: message.tool_call_id ?? '',
      data: buildOutput(readText(message)),
    })),
    isLast: results.length === after.length,
  };
}

const readText = ({ content }: ChatMessage): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');

/** @throws not-built-yet */
export function refuseResultFiles(messages: readonly ChatMessage[]): void {
  for (const [at, { role, content }] of messages.entries()) {
    if ((role !== 'tool' && role !== 'function') || !Array.isArray(content)) continue;
    const file = content.findIndex(({ type }) => type !== 'text');
    if (file >= 0) throw createResultFileError(`messages[${at}].content[${file}]`);
  }
}

export const describeStep = ({ role, tool_calls: calls, tool_call_id: of }: ChatMessage): HistoryStep => ({
  role,
  callIds: (calls ?? []).map(({ id }) => id),
  ...(role === 'tool' && { resultId: of ?? '' }),
});

/** Returns the calls of an answer with their results, as parts of one message. */
export const convertCalls = (
  { tool_calls: calls }: ChatMessage,
  matched: readonly MatchedCall[],
  all: readonly ChatMessage[],
): ToolInvocationPart[] =>
  (calls ?? []).map(({ function: called }, at) => {
    const { id = '', resultAt = -1 } = matched[at] ?? {};
    const result = all[resultAt];
    return convertCall({ ...called, id, ...(result && { output: readText(result) }) });
  });

/** A result without its call in the request is a text. */
export const convertLooseResult = (message: ChatMessage): Message =>
  createMessage('tool', [{ type: 'text', text: readText(message) }]);
