// One processor of a stream session. Chunks go through it one after the other, but it does not wait for the links after it:
// a chain of links is a pipeline. A mark after a chunk says that everything made of it has passed; the last link counts them.
import {
  MillraceError,
  chunkSchema,
  isPlainDelta,
  createOpenParts,
  isDataChunk,
  mayBeDropped,
  passedChunks,
  type Chunk,
} from '@millrace/contracts';

export type StreamItem = Chunk | typeof MARK;
/** Stands after every chunk that came in. */
export const MARK = Symbol('chunk done');

export type LinkOptions = {
  call: (part: Chunk) => unknown;
  processDataParts: boolean;
  /** false: it has said that it changes nothing, and each chunk has to come out as it went in. */
  mayChange?: boolean;
  /** Nobody wants what comes after it fires. */
  signal: AbortSignal;
  /** What is thrown where the method was given up. */
  givenUp: () => Error;
  next: (item: StreamItem) => void;
  /** Called once, with what the method threw; the link takes nothing more. */
  stopped: (error: unknown) => void;
};

export type StreamLink = {
  push(item: StreamItem): void;
  /** How long the processor was at work, ms. */
  spentMs(): number;
  /** Ends it with an error that came from elsewhere than the method. */
  fail(error: unknown): void;
  /** Whether its method is at work, or has something to do. */
  busy(): boolean;
  /**
   * The stream was stopped elsewhere: from here on nothing is judged and nothing comes out. Waits for a method that is at work; then the
   * parts that are open are ended as cut off, so that what is held of them is dropped.
   * @returns whether they all were
   */
  cutOff(): Promise<boolean>;
  close(): void;
};

export function createStreamLink(options: LinkOptions): StreamLink {
  const { call, processDataParts, mayChange = true, signal, givenUp, next, stopped } = options;
  let queue: StreamItem[] = [];
  let running = false;
  let working = Promise.resolve();
  let closed = false;
  let isCut = false;
  let spent = 0;
  const parts = createOpenParts();

  const fail = (error: unknown) => {
    if (closed || isCut) return;
    closed = true;
    stopped(error);
  };
  const pass = (part: Chunk, result: unknown, before: string | undefined) => {
    if (closed || isCut) return;
    // What a method gives when it is told to give up is no judgement.
    if (signal.aborted) throw givenUp();
    // In place or not: what stands there must be what came.
    if (!mayChange && (Array.isArray(result) || JSON.stringify(result) !== before)) throw unforeseen(part);
    if (result === part) return next(part);
    if (result !== null && result !== undefined) {
      for (const chunk of checkedChunks(part, Array.isArray(result) ? result : [result])) next(chunk);
    } else if (!mayBeDropped(part)) {
      next(part);
    }
  };
  const run = async () => {
    running = true;
    const done = Promise.withResolvers<void>();
    working = done.promise;
    try {
      // What comes while a batch is worked on goes to a new queue: shifting one by one would cost with its length.
      // oxlint-disable-next-line no-unmodified-loop-condition -- close() and cutOff() modify them, while a method is awaited
      while (queue.length > 0 && !closed) {
        const batch = queue;
        queue = [];
        const started = performance.now();
        for (const item of batch) {
          if (closed || isCut) return;
          if (item === MARK || (isDataChunk(item) && !processDataParts)) next(item);
          else {
            if (signal.aborted) throw givenUp();
            parts.see([item]);
            const before = mayChange ? undefined : JSON.stringify(item);
            const result = call(item);
            pass(item, result instanceof Promise ? await result : result, before);
          }
        }
        spent += performance.now() - started;
      }
    } catch (error) {
      fail(error);
    } finally {
      running = false;
      done.resolve();
    }
  };
  return {
    push(item) {
      if (closed || isCut) return;
      queue.push(item);
      if (!running) void run();
    },
    spentMs: () => spent,
    fail,
    busy: () => !closed && (running || queue.length > 0),
    async cutOff() {
      isCut = true;
      queue = [];
      await working;
      try {
        // What comes out for them goes nowhere.
        for (const end of parts.ends(false)) await call(end);
        return !closed;
      } catch {
        return false;
      }
    },
    close: () => void (closed = true),
  };
}

function unforeseen({ type }: Chunk): MillraceError {
  const message = `processOutputStream changed a "${type}" chunk, and its definition says that it changes nothing.`;
  return new MillraceError('processor-verdict-refused', message, { remedy: 'Correct its `changes`.' });
}

/** In place of one: a processor that makes ever more of a chunk must not fill everybody's memory. */
const MAX_CHUNKS_FOR_ONE = 1_024;

/** @throws processor-failed for what is no chunk; processor-verdict-refused for chunks that may not stand in this one's place */
function checkedChunks(part: Chunk, results: readonly unknown[]): readonly Chunk[] {
  if (results.length > MAX_CHUNKS_FOR_ONE) {
    const message = `processOutputStream returned ${results.length} chunks for one: at most ${MAX_CHUNKS_FOR_ONE} are taken.`;
    throw new MillraceError('processor-verdict-refused', message);
  }
  const chunks = results.map(checkedChunk);
  const passed = passedChunks(part.runId, [part], chunks);
  if ('chunks' in passed) return passed.chunks;
  throw new MillraceError('processor-verdict-refused', passed.refused, {
    remedy: 'Return the chunk, changed or not; null drops one that may be dropped.',
  });
}

/** What a processor returned as a chunk and is none fails it: neither the next one nor a client must get it. */
function checkedChunk(result: unknown): Chunk {
  if (isPlainDelta(result)) return result;
  const chunk = chunkSchema.safeParse(result);
  if (chunk.success) return chunk.data;
  const shown = (JSON.stringify(result) ?? String(result)).slice(0, 100);
  throw new MillraceError('processor-failed', `processOutputStream returned what is not a chunk: ${shown}`);
}
