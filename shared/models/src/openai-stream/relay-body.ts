// The body of an answer as a web stream that holds the events for the AI SDK. Reads the socket only while the SDK and the reader of the
// parts have room.
import type { IncomingMessage } from 'node:http';
import { createEventBound } from './body-bounds.ts';
import { createSseSplitter, type SseBlock } from './sse-blocks.ts';

/** Bytes that wait for the SDK before the socket is read no further. */
const MAX_WAITING_BYTES = 64 * 1024;

type Room = { isFull(): boolean; onRoom(resume: () => void): void };

/** @param pass returns the text that the SDK is to read of these blocks */
export function relayBody(
  incoming: IncomingMessage,
  pass: (blocks: readonly SseBlock[], isSplitting: boolean) => string,
  { parts, signal }: { parts: Room; signal?: AbortSignal | null | undefined },
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const splitter = createSseSplitter();
  const boundEvent = createEventBound();
  let isOver = false;
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const isFull = () => parts.isFull() || (controller.desiredSize ?? 0) <= 0;
    const give = (text: string) => {
      if (text !== '') controller.enqueue(encoder.encode(text));
    };
    const end = (close: () => void) => {
      if (isOver) return;
      isOver = true;
      close();
    };
    incoming.on('data', (bytes: Uint8Array) => {
      if (isOver) return;
      try {
        boundEvent(bytes);
        const blocks = splitter.split(decoder.decode(bytes, { stream: true }));
        give(pass(blocks, splitter.isSplitting()));
      } catch (error) {
        end(() => controller.error(error));
        incoming.destroy();
        return;
      }
      if (isFull()) incoming.pause();
    });
    incoming.on('end', () =>
      end(() => {
        give(splitter.takeRest() + decoder.decode());
        controller.close();
      }),
    );
    incoming.on('error', (cause) =>
      end(() => controller.error(signal?.aborted ? signal.reason : new TypeError('terminated', { cause }))),
    );
    parts.onRoom(() => incoming.resume());
  };
  return new ReadableStream(
    {
      start,
      pull: () => void (parts.isFull() || incoming.resume()),
      cancel() {
        isOver = true;
        incoming.destroy();
      },
    },
    { highWaterMark: MAX_WAITING_BYTES, size: (bytes) => bytes.byteLength },
  );
}
