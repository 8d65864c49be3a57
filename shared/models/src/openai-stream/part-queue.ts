// Parts of two sources, the AI SDK's stream and the direct deltas, as one stream in the order in which they are pushed.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';

type QueuePart = LanguageModelV4StreamPart;

/** Parts that wait for their reader before the sources are read no further. */
const MAX_WAITING_PARTS = 64;

export type PartQueue = {
  push(part: QueuePart): void;
  isFull(): boolean;
  /** Called each time that there is room again. */
  onRoom(resume: () => void): void;
  /** The stream of all parts. @param transform gives the parts that replace a part of the SDK */
  follow(
    stream: ReadableStream<QueuePart>,
    transform: (part: QueuePart) => readonly QueuePart[],
  ): ReadableStream<QueuePart>;
};

export function createPartQueue(): PartQueue {
  let controller: ReadableStreamDefaultController<QueuePart> | undefined;
  let resume: () => void = () => undefined;
  let freed = Promise.withResolvers<void>();
  const isFull = () => (controller?.desiredSize ?? 1) <= 0;
  const free = () => {
    freed.resolve();
    freed = Promise.withResolvers();
    resume();
  };
  return {
    push: (part) => controller?.enqueue(part),
    isFull,
    onRoom: (called) => void (resume = called),
    follow(stream, transform) {
      const reader = stream.getReader();
      const run = async (own: ReadableStreamDefaultController<QueuePart>) => {
        for (let read = await reader.read(); !read.done; read = await reader.read()) {
          for (const part of transform(read.value)) own.enqueue(part);
          if (isFull()) await freed.promise;
        }
        own.close();
      };
      return new ReadableStream<QueuePart>(
        {
          start(own) {
            controller = own;
            run(own).catch((error: unknown) => own.error(error));
          },
          pull: free,
          cancel(reason) {
            controller = undefined;
            free();
            return reader.cancel(reason);
          },
        },
        { highWaterMark: MAX_WAITING_PARTS },
      );
    },
  };
}
