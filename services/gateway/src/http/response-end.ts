// Calls a function when a response has left the server, or its client is lost before that.
import type { ServerResponse } from 'node:http';
import type { StreamDelivery } from './event-stream.ts';

type EndListener = (end: Exclude<StreamDelivery, 'interrupted'>) => void;

/** By the body of their response: middleware may copy a response, and keeps its body. */
const ends = new WeakMap<ReadableStream, EndListener>();

/** Calls `end` once, if the response is sent by `listenHttp`. */
export function onResponseEnd(response: Response, end: EndListener): Response {
  if (response.body) ends.set(response.body, end);
  return response;
}

/** Watches the connection. It may already be closed. */
export function watchResponseEnd({ body }: Response, outgoing: ServerResponse): void {
  const end = body && ends.get(body);
  if (!end) return;
  if (outgoing.closed || outgoing.destroyed) return end('unsent');
  outgoing.once('close', () => end(outgoing.writableFinished ? 'sent' : 'unsent'));
}
