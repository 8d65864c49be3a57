// Converts calls of the client's tools that a client sends back to parts of a run's messages.
import { readJson, type JsonValue, type ToolInvocationPart } from '@millrace/contracts';

type SubmittedCall = { id: string; name: string; arguments: string; output?: string };

/** Providers accept ids of 40 characters. */
const MAX_ID = 40;
const shortenId = (id: string): string => id.replace(/^call_/, '').slice(-MAX_ID);

/** A result is a text; a text with a JSON object or list is that. */
export function parseOutput(text: string): JsonValue {
  const read = /^\s*[[{]/.test(text) ? readJson(text) : undefined;
  return read ? read.value : text;
}

/** @param call with its result in the request, if there is one */
export function convertCall({ id, name, arguments: text, output }: SubmittedCall): ToolInvocationPart {
  const args = readJson(text);
  const call = { toolCallId: shortenId(id), toolName: name, args: args ? args.value : text };
  return {
    type: 'tool-invocation',
    toolInvocation:
      output === undefined ? { ...call, state: 'call' } : { ...call, state: 'result', result: parseOutput(output) },
  };
}
