// Runs one processor of a stream session. It processes chunks in sequence without waiting for the later links: a chain
// of links is a pipeline. A mark after a chunk shows that all of its output has passed; the last link counts the marks.
import {
  MillraceError,
  chunkSchema,
  isPlainDelta,
  createOpenParts,
  isDataChunk,
  mayBeDropped,
  checkPassedChunks,
  type Chunk,
} from '@millrace/contracts';

export type StreamItem = Chunk | typeof MARK;
/** Follows every input chunk. */
export const MARK = Symbol('chunk done');

export type LinkOptions = {
  call: (part: Chunk) => unknown;
  processDataParts: boolean;
  /** false: the processor declares no changes, and each chunk must be returned unchanged. */
  mayChange?: boolean;
  /** The output is not needed after it fires. */
  signal: AbortSignal;
  /** Returns a stop that the method requested, also if its error did not leave the method. */
  readStop?: () => Error | undefined;
  /** Creates the error of a cancelled method. */
  createGivenUpError: () => Error;
  onItem: (item: StreamItem) => void;
  /** Called if the method returned nothing for a chunk that passes all the same. */
  onKept?: (part: Chunk) => void;
  /** Called once with the error of the method; the link accepts nothing more. */
  onStopped: (error: unknown) => void;
};

export type StreamLink = {
  push(item: StreamItem): void;
  /** Returns the processing time of the processor, ms. */
  readSpentMs(): number;
  /** Ends the link with an error from outside of the method. */
  fail(error: unknown): void;
  /** Returns true if the method is running or has queued chunks. */
  isBusy(): boolean;
  /**
   * Stops the link from outside: it passes no more chunks to the method and outputs nothing. Waits for a running
   * method; then ends the open parts as cut off, so that their buffered text is dropped.
   * @returns true if all parts were ended
   */
  cutOff(): Promise<boolean>;
  close(): void;
};

export function createStreamLink(options: LinkOptions): StreamLink {
  const { call, processDataParts, mayChange = true, signal, createGivenUpError, onItem: next, onStopped } = options;
  const { readStop = () => undefined } = options;
  let queue: StreamItem[] = [];
  /** Absent: the method is not running. */
  let working: Promise<void> | undefined;
  /** `cut`: stopped from outside, its open parts are ended. `closed`: it has failed, or is not needed any more. */
  let state: 'open' | 'cut' | 'closed' = 'open';
  let spent = 0;
  const parts = createOpenParts();

  const fail = (error: unknown) => {
    if (state !== 'open') return;
    state = 'closed';
    onStopped(error);
  };
  const pass = (part: Chunk, result: unknown, before: string | undefined) => {
    if (state !== 'open') return;
    // The result of a cancelled method is ignored.
    if (signal.aborted) throw createGivenUpError();
    const stop = readStop();
    if (stop) throw stop;
    // The result, also after an in-place edit, must equal the input.
    if (!mayChange && (Array.isArray(result) || JSON.stringify(result) !== before)) throw createUnforeseenError(part);
    if (result === part) return next(part);
    if (result !== null && result !== undefined) {
      for (const chunk of checkChunks(part, Array.isArray(result) ? result : [result])) next(chunk);
    } else if (!mayBeDropped(part)) {
      options.onKept?.(part);
      next(part);
    }
  };
  const run = async () => {
    const done = Promise.withResolvers<void>();
    working = done.promise;
    try {
      // Chunks that arrive during a batch are appended to a new queue: shifting one by one costs time in proportion to
      // its length.
      // oxlint-disable-next-line no-unmodified-loop-condition -- close() and cutOff() modify them, while a method is awaited
      while (queue.length > 0 && state !== 'closed') {
        const batch = queue;
        queue = [];
        const started = performance.now();
        for (const item of batch) {
          if (state !== 'open') return;
          if (item === MARK || (isDataChunk(item) && !processDataParts)) next(item);
          else {
            if (signal.aborted) throw createGivenUpError();
            parts.observe([item]);
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
      working = undefined;
      done.resolve();
    }
  };
  return {
    push(item) {
      if (state !== 'open') return;
      queue.push(item);
      if (!working) void run();
    },
    readSpentMs: () => spent,
    fail,
    isBusy: () => state !== 'closed' && (working !== undefined || queue.length > 0),
    async cutOff() {
      if (state === 'open') state = 'cut';
      queue = [];
      await working;
      try {
        // Output for these ends is discarded.
        for (const end of parts.ends(false)) await call(end);
        return state === 'cut';
      } catch {
        return false;
      }
    },
    close: () => void (state = 'closed'),
  };
}

function createUnforeseenError({ type }: Chunk): MillraceError {
  const message = `processOutputStream changed a "${type}" chunk, but its definition declares no changes.`;
  return new MillraceError('processor-verdict-refused', message, { remedy: 'Correct its `changes`.' });
}

/** Maximum output for one chunk: the memory of the replica is shared by all runs. */
const MAX_CHUNKS_FOR_ONE = 1_024;

/**
 * @throws processor-failed for a value that is not a chunk; processor-verdict-refused for chunks that must not replace
 * this one
 */
function checkChunks(part: Chunk, results: readonly unknown[]): readonly Chunk[] {
  if (results.length > MAX_CHUNKS_FOR_ONE) {
    const message = `processOutputStream returned ${results.length} chunks for one: the maximum is ${MAX_CHUNKS_FOR_ONE}.`;
    throw new MillraceError('processor-verdict-refused', message);
  }
  const chunks = results.map(checkChunk);
  const passed = checkPassedChunks(part.runId, [part], chunks);
  if ('chunks' in passed) return passed.chunks;
  throw new MillraceError('processor-verdict-refused', passed.refused, {
    remedy: 'Return the chunk, changed or not; null drops a chunk that may be dropped.',
  });
}

/** A result that is not a chunk fails the processor: neither the next one nor a client may receive it. */
function checkChunk(result: unknown): Chunk {
  if (isPlainDelta(result)) return result;
  const chunk = chunkSchema.safeParse(result);
  if (chunk.success) return chunk.data;
  const shown = (JSON.stringify(result) ?? String(result)).slice(0, 100);
  throw new MillraceError('processor-failed', `processOutputStream returned a value that is not a chunk: ${shown}`);
}
