// Writes the chunks of a response without a length, each with one write to the socket. `response.write` writes the
// size, the text and the line break apart, which costs twice the processor time for the small texts of a stream.
import type { ServerResponse } from 'node:http';

const HEX = 16;
/** Time for which the headers wait for the first text, ms: both leave in one write. */
const HEADERS_WAIT_MS = 20;

export type ChunkWriter = {
  /** Returns false if the caller has to wait for `drain`. An empty text is not written: an empty chunk ends a response. */
  write(text: string): boolean;
  stop(): void;
};

/** @param response with its headers written, but not sent */
export function createChunkWriter(response: ServerResponse): ChunkWriter {
  let isOpened = false;
  const waiting = setTimeout(() => {
    isOpened = true;
    response.flushHeaders();
  }, HEADERS_WAIT_MS);
  return {
    write(text) {
      if (text === '') return true;
      if (isOpened) return writeChunk(response, text);
      isOpened = true;
      clearTimeout(waiting);
      return writeFirst(response, text);
    },
    stop: () => clearTimeout(waiting),
  };
}

/** A response without a socket waits for the earlier one of its connection. */
function writeFirst(response: ServerResponse, text: string): boolean {
  const { socket } = response;
  socket?.cork();
  const isAccepted = response.write(text);
  socket?.uncork();
  return isAccepted;
}

function writeChunk(response: ServerResponse, text: string): boolean {
  const { socket } = response;
  // A client of HTTP/1.0 gets no chunks, and a pipelined response has no socket before the earlier one has ended.
  if (!response.chunkedEncoding || !socket || response.writableLength > 0) return response.write(text);
  const bytes = Buffer.byteLength(text);
  // All characters are ASCII: the socket copies them without an encoder.
  return socket.write(`${bytes.toString(HEX)}\r\n${text}\r\n`, bytes === text.length ? 'latin1' : 'utf8');
}
