// What makes two submissions the same request: agent, roles and contents of the messages, thread, resource, context and overrides. Not
// the messages' ids or times, the trace or the deadline: a client that tries again may make those anew. Pure.
import { createHash } from 'node:crypto';
import type { RunRequest } from '@millrace/contracts';

export function requestHash(given: RunRequest): string {
  const { agent, messages, threadId, resourceId, requestContext } = given;
  const { inputProcessors, outputProcessors, errorProcessors, maxProcessorRetries } = given;
  const said = messages.map(({ role, content }) => ({ role, content }));
  const overrides = { inputProcessors, outputProcessors, errorProcessors, maxProcessorRetries };
  const request = { agent, said, threadId, resourceId, requestContext, ...overrides };
  return createHash('sha256').update(JSON.stringify(request, inOrder)).digest('base64url');
}

/** Members of objects in the order of their names: two writers of JSON need not agree on another. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
