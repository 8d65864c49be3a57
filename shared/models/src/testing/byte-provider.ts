// A provider for tests that answers each request with bytes that the test gives: bodies that break off, and recorded event streams.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from './listen-locally.ts';

/** A body as pieces, each written on its own. */
export type ByteAnswer = {
  status?: number;
  headers?: Record<string, string>;
  pieces: readonly (string | Uint8Array)[];
  /** Between two pieces, ms. Absent: one turn of the event loop. */
  everyMs?: number;
  /** The socket is destroyed after the last piece. */
  isCut?: boolean;
};

export type ByteProvider = {
  /** Value for OPENAI_BASE_URL. */
  baseUrl: string;
  /** Headers of all requests so far. */
  requests: IncomingHttpHeaders[];
  /** Their bodies, as they arrived. */
  bodies: string[];
  /** The next requests are answered in this order, and the last answer is repeated. */
  answer(...answers: readonly ByteAnswer[]): void;
  close(): Promise<void>;
};

export async function startByteProvider(): Promise<ByteProvider> {
  const requests: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  let left: ByteAnswer[] = [];
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    requests.push(incoming.headers);
    bodies.push(await text(incoming));
    const answer = (left.length > 1 ? left.shift() : left[0]) ?? { status: 500, pieces: [] };
    // Headers are part of some errors, which tests compare.
    outgoing.sendDate = false;
    outgoing.writeHead(answer.status ?? 200, { 'content-type': 'text/event-stream', ...answer.headers });
    for (const piece of answer.pieces) {
      outgoing.write(piece);
      await new Promise((resolve) => {
        if (answer.everyMs === undefined) setImmediate(resolve);
        else setTimeout(resolve, answer.everyMs);
      });
    }
    if (answer.isCut) outgoing.destroy();
    else outgoing.end();
  };
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  return {
    ...(await listenLocally(server)),
    requests,
    bodies,
    answer: (...answers) => void (left = [...answers]),
  };
}

/** Events of a server-sent event stream, one string each. */
export const sseEvents = (...events: readonly object[]): string[] =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
