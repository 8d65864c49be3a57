// One processor of a stream session. Chunks go through it one after the other, but it does not wait for the links behind it:
// a chain of links is a pipeline. A mark behind a chunk says that everything made of it has passed; the last link counts them.
import { MillraceError, chunkSchema, isDataChunk, mayBeDropped, type Chunk } from '@millrace/contracts';

export type StreamItem = Chunk | typeof MARK;
/** Stands behind every chunk that came in. */
export const MARK = Symbol('chunk done');

export type LinkOptions = {
  call: (part: Chunk) => unknown;
  processDataParts: boolean;
  next: (item: StreamItem) => void;
  /** Called once, with what the method threw; the link takes nothing more. */
  stopped: (error: unknown) => void;
};

export type StreamLink = {
  push(item: StreamItem): void;
  /** How long the processor was at work, ms. */
  spentMs(): number;
  close(): void;
};

export function createStreamLink({ call, processDataParts, next, stopped }: LinkOptions): StreamLink {
  let queue: StreamItem[] = [];
  let running = false;
  let closed = false;
  let spent = 0;

  const pass = (part: Chunk, result: unknown) => {
    if (closed) return;
    if (result === null || result === undefined) {
      if (!mayBeDropped(part)) next(part);
    } else if (Array.isArray(result)) {
      for (const chunk of result) next(checkedChunk(chunk));
    } else {
      next(result === part ? part : checkedChunk(result));
    }
  };
  const run = async () => {
    running = true;
    try {
      // What comes while a batch is worked on goes to a new queue: shifting one by one would cost with its length.
      // oxlint-disable-next-line no-unmodified-loop-condition -- close() modifies it, while a method is awaited
      while (queue.length > 0 && !closed) {
        const batch = queue;
        queue = [];
        const started = performance.now();
        for (const item of batch) {
          if (closed) return;
          if (item === MARK || (isDataChunk(item) && !processDataParts)) next(item);
          else {
            const result = call(item);
            pass(item, result instanceof Promise ? await result : result);
          }
        }
        spent += performance.now() - started;
      }
    } catch (error) {
      closed = true;
      stopped(error);
    } finally {
      running = false;
    }
  };
  return {
    push(item) {
      if (closed) return;
      queue.push(item);
      if (!running) void run();
    },
    spentMs: () => spent,
    close: () => void (closed = true),
  };
}

/** What a processor returned as a chunk and is none fails it: neither the next one nor a client must get it. */
function checkedChunk(result: unknown): Chunk {
  const chunk = chunkSchema.safeParse(result);
  if (chunk.success) return chunk.data;
  const shown = (JSON.stringify(result) ?? String(result)).slice(0, 100);
  throw new MillraceError('processor-failed', `processOutputStream returned what is not a chunk: ${shown}`);
}
