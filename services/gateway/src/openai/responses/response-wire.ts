// Writes responses: the object, and the events of a stream. The number of an event is a function of the chunk that
// caused it, so that a client that reads again from a number misses nothing.
import type { Position } from '@millrace/contracts';
import { describeResponseObject, formatResponseEvent, type ResponseEvent } from '@millrace/openai-wire';
import { describeItem } from './response-items.ts';
import type { ResponseIdentity } from './response-identity.ts';
import type { ResponseState } from './response-changes.ts';

const RUN_ID = /^resp_([A-Za-z0-9_-]{1,64})$/;
const toResponseId = (runId: string): string => `resp_${runId}`;
export const readRunId = (responseId: string): string | undefined => RUN_ID.exec(responseId)?.[1];

export function describeResponse(state: ResponseState, identity: ResponseIdentity): object {
  const { runId, status, error, items, usage, isSuspended } = state;
  const { model, createdAt, threadId, previousId, metadata } = identity;
  const members = {
    id: toResponseId(runId),
    created_at: createdAt,
    status,
    error: error && status === 'failed' ? { code: 'server_error', message: error.message } : null,
    model,
    output: items.map(describeItem),
    previous_response_id: previousId ?? null,
    conversation: threadId === undefined ? null : { id: threadId },
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    metadata: { ...metadata, ...(isSuspended && { millrace_status: 'suspended' }) },
  };
  return describeResponseObject(members, usage);
}

/** Numbers for the events of one chunk. A retraction opens the parts again that it cuts, five events for each. */
const EVENTS_OF_CHUNK = 1_024;

/** A later owner of the run begins before the last chunk of the former one: its numbers are higher nevertheless. */
const EVENTS_OF_EPOCH = 2 ** 32;
/** Position of the events before the first chunk. */
export const OPENING: Position = { epoch: 1, index: -1 };

/** @param position of the chunk */
export function writeEvents(events: readonly ResponseEvent[], { epoch, index }: Position, after: number): string {
  const first = (epoch - 1) * EVENTS_OF_EPOCH + (index + 1) * EVENTS_OF_CHUNK;
  let text = '';
  for (const [at, event] of events.entries()) {
    const number = first + Math.min(at, EVENTS_OF_CHUNK - 1);
    if (number <= after) continue;
    text += formatResponseEvent(event, number);
  }
  return text;
}

export function describeEnding(state: ResponseState, identity: ResponseIdentity): ResponseEvent | undefined {
  const type = ENDINGS[state.status];
  return type === undefined ? undefined : { type, response: describeResponse(state, identity) };
}

const ENDINGS: Record<ResponseState['status'], string | undefined> = {
  in_progress: undefined,
  completed: 'response.completed',
  failed: 'response.failed',
  cancelled: 'response.failed',
};
