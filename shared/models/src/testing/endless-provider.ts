// A provider for tests that never ends an answer: it writes as long as its client reads.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { listenLocally } from './listen-locally.ts';

export type EndlessAnswer = {
  status?: number;
  contentType?: string;
  /** Written once. */
  start: string;
  /** Written again and again. */
  piece: string;
};

export type EndlessProvider = {
  /** Value for OPENAI_BASE_URL. */
  baseUrl: string;
  countRequests(): number;
  /** Bytes that it gave to its sockets. */
  countBytes(): number;
  /** Resolves when the client has closed every connection. */
  awaitClosed(): Promise<unknown>;
  close(): Promise<void>;
};

export async function startEndlessProvider(answer: EndlessAnswer): Promise<EndlessProvider> {
  const closings: Promise<unknown>[] = [];
  let bytes = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    closings.push(once(outgoing, 'close'));
    outgoing.writeHead(answer.status ?? 200, { 'content-type': answer.contentType ?? 'text/event-stream' });
    const write = (text: string) => {
      bytes += Buffer.byteLength(text);
      return outgoing.write(text);
    };
    const writeOn = () => {
      while (!outgoing.destroyed && write(answer.piece));
    };
    outgoing.on('drain', writeOn);
    write(answer.start);
    writeOn();
  });
  return {
    ...(await listenLocally(server)),
    countRequests: () => closings.length,
    countBytes: () => bytes,
    awaitClosed: () => Promise.all(closings),
  };
}
