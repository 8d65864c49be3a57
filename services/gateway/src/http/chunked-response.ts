// Writes one chunk of a response without a length, with one write to the socket. `response.write` writes the
// size, the text and the line break apart, which costs twice the processor time for the small texts of a stream.
import type { ServerResponse } from 'node:http';

/** A response with flushed headers. */
export type ChunkedResponse = ServerResponse;

const HEX = 16;

/** Returns false if the caller has to wait for `drain`. An empty text is not written: an empty chunk ends a response. */
export function writeChunk(response: ChunkedResponse, text: string): boolean {
  if (text === '') return true;
  const { socket } = response;
  // A client of HTTP/1.0 gets no chunks, and a pipelined response has no socket before the earlier one has ended.
  if (!response.chunkedEncoding || !socket || response.writableLength > 0) return response.write(text);
  const bytes = Buffer.byteLength(text);
  // All characters are ASCII: the socket copies them without an encoder.
  return socket.write(`${bytes.toString(HEX)}\r\n${text}\r\n`, bytes === text.length ? 'latin1' : 'utf8');
}
