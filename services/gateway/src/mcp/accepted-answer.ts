// Serves clients of MCP whatever their Accept is. The handler requires both media types and answers with events; a client
// that does not name them, as several do, gets the same messages as JSON.
import { isObject } from '@millrace/contracts';

const EVENTS = 'text/event-stream';
const BOTH = `application/json, ${EVENTS}`;

export const acceptsEvents = ({ method, headers }: Request): boolean =>
  method !== 'POST' || (headers.get('accept') ?? '').toLowerCase().includes(EVENTS);

/** Returns the headers of the request with the media types that the handler requires. */
export function addAccepted({ headers }: Request): Headers {
  const added = new Headers(headers);
  added.set('accept', BOTH);
  return added;
}

/** Replaces a stream of events by its answers: one, or a list for a batch. Other messages have no place in JSON. */
export async function toJsonAnswer(response: Response): Promise<Response> {
  if (!(response.headers.get('content-type') ?? '').startsWith(EVENTS)) return response;
  const answers = readMessages(await response.text()).filter(isAnswer);
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  return new Response(JSON.stringify(answers.length === 1 ? answers[0] : answers), {
    status: response.status,
    headers,
  });
}

/** The handler writes each message as the one data line of an event. */
function readMessages(events: string): unknown[] {
  return events
    .split('\n')
    .filter((line) => line.startsWith('data:') && line.trim() !== 'data:')
    .map((line): unknown => JSON.parse(line.slice('data:'.length)));
}

const isAnswer = (message: unknown): boolean => isObject(message) && ('result' in message || 'error' in message);
