// Responds with server-sent events. A source yields the text of all events that are available, and each text is one
// write. The server writes the texts to the connection itself: a web stream in between costs more than the write.
import type { ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { writeChunk, type ChunkedResponse } from './chunked-response.ts';

const KEEP_ALIVE = ': keep-alive\n\n';

/** `sent`: the client was sent all of it; `unsent`: it was lost after the end of the source; `interrupted`: the source had not ended. */
export type StreamDelivery = 'sent' | 'unsent' | 'interrupted';
export type EventStreamOptions = {
  /** Interval of comments while the source has nothing, ms. */
  keepAliveMs: number;
  /** Called when the stream has ended, failed or lost its reader. Idempotent. */
  onEnd: (end: StreamDelivery) => void;
  headers?: Record<string, string>;
};
type EventStream = Pick<EventStreamOptions, 'keepAliveMs' | 'onEnd'> & { frames: AsyncGenerator<string, void> };

/** By the body of their response: middleware may copy a response, and keeps its body. */
const streams = new WeakMap<ReadableStream, EventStream>();

/** Returns the response; `sendEvents` writes its events. Cancelling its body closes the source. */
export function respondWithEvents(
  frames: AsyncGenerator<string, void>,
  { keepAliveMs, onEnd, headers }: EventStreamOptions,
): Response {
  const stream = { frames, keepAliveMs, onEnd };
  const body = new ReadableStream({ cancel: () => closeSource(stream) });
  streams.set(body, stream);
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  });
}

/** The generator returns after its pending read, which `onEnd` has to end. */
function closeSource({ frames, onEnd }: EventStream, end: StreamDelivery = 'interrupted'): void {
  onEnd(end);
  void frames.return().catch(() => undefined);
}

/** Closes the stream of a HEAD request: its answer has no body. */
export const closeUnreadStream: MiddlewareHandler = async (call, next) => {
  await next();
  if (call.req.method === 'HEAD') await call.res.body?.cancel();
};

/** Writes a response of `respondWithEvents`. Returns false for any other response. */
export function sendEvents({ status, headers, body }: Response, outgoing: ServerResponse): boolean {
  const stream = body && streams.get(body);
  if (!stream) return false;
  outgoing.writeHead(status, [...headers].flat());
  outgoing.flushHeaders();
  void writeStream(stream, outgoing);
  return true;
}

async function writeStream(stream: EventStream, outgoing: ChunkedResponse): Promise<void> {
  let end: StreamDelivery = 'interrupted';
  const leave = () => closeSource(stream, outgoing.writableFinished ? 'sent' : end);
  outgoing.once('close', leave);
  if (outgoing.destroyed) leave();
  const keepAlive = setInterval(() => {
    if (!needsDrain(outgoing)) writeChunk(outgoing, KEEP_ALIVE);
  }, stream.keepAliveMs);
  try {
    for await (const text of stream.frames) {
      if (outgoing.destroyed) return;
      keepAlive.refresh();
      if (!writeChunk(outgoing, text)) await waitForDrain(outgoing);
    }
    end = 'unsent';
    outgoing.end();
  } catch (error) {
    outgoing.destroy(error instanceof Error ? error : undefined);
  } finally {
    clearInterval(keepAlive);
  }
}

const needsDrain = ({ socket, writableNeedDrain }: ChunkedResponse): boolean =>
  writableNeedDrain || socket?.writableNeedDrain === true;

/** Waits until a slow client has received what was written, or has disconnected. */
async function waitForDrain(outgoing: ChunkedResponse): Promise<void> {
  const { socket } = outgoing;
  if (outgoing.destroyed || !needsDrain(outgoing)) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const emitter of [outgoing, socket]) for (const event of ['drain', 'close']) emitter?.once(event, resolve);
  await promise;
  for (const emitter of [outgoing, socket]) for (const event of ['drain', 'close']) emitter?.off(event, resolve);
}

const LINE_BREAK = /\r\n|[\r\n]/g;

/** Formats one event. Each line of the data is a line of its own, which a reader joins by line feeds. */
export function formatEvent(data: string, { id, event }: { id?: string; event?: string } = {}): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`;
  return `${head}data: ${data.replaceAll(LINE_BREAK, '\ndata: ')}\n\n`;
}
