// Stores the chunks of a run for any number of readers: each reads all of them from the first, also if it starts late.
// Bounded: a reader that lags behind the buffer gets `chunks-gone` with the position to resume from, never a silent
// gap.
import { isPlainDelta, type Chunk, type ChunkOf, MillraceError, type Position } from '@millrace/contracts';
import { FIRST_POSITION, type PositionedChunk } from './chunk-merge.ts';

/**
 * Maximum number of buffered chunks of one run for slow and late readers. With one token each this exceeds a run of 10
 * minutes by far.
 */
export const MAX_KEPT_CHUNKS = 100_000;
/** Maximum size of these chunks in memory, bytes. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** Maximum size of a character in memory, bytes. */
const CHARACTER_BYTES = 2;
/** Members of a delta other than its ids and its text. */
const DELTA_BYTES = 100;
/** type, runId, from and payload. */
const DELTA_MEMBERS = 4;
/** id and text. */
const PAYLOAD_MEMBERS = 2;
/** Dropped in groups, so that dropping costs nothing per chunk. */
const DROPPED_AT_ONCE = 0.1;
/** Maximum number of chunks that a reader receives at once. */
const MAX_BATCH = 1_000;

/** Bounds of the buffer of one run. */
export type KeptLimits = { chunks: number; bytes: number };
const KEPT_LIMITS: KeptLimits = { chunks: MAX_KEPT_CHUNKS, bytes: MAX_KEPT_BYTES };

export type ChunkLog = {
  append(chunks: readonly PositionedChunk[]): void;
  /** The last chunk has arrived. */
  end(): void;
  /** No more chunks can arrive: readers get the error after the available ones. */
  fail(error: MillraceError): void;
  read(): AsyncGenerator<PositionedChunk, void, undefined>;
  /** Returns all available chunks at once: at most MAX_BATCH, at least one. */
  readBatches(): AsyncGenerator<readonly PositionedChunk[], void, undefined>;
  /** Position of the last chunk so far. */
  getLast(): PositionedChunk | undefined;
  /** Resolves when the log has ended or failed; with the error in the latter case. */
  outcome: Promise<MillraceError | undefined>;
};

/** @param from position of the first chunk */
export function createChunkLog(from: Position = FIRST_POSITION, limits: KeptLimits = KEPT_LIMITS): ChunkLog {
  const buffer = createBuffer(limits);
  let closed: { error: MillraceError | undefined } | undefined;
  let changed = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<MillraceError | undefined>();

  const wake = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const close = (error: MillraceError | undefined) => {
    if (closed) return;
    closed = { error };
    outcome.resolve(error);
    wake();
  };
  async function* readBatches() {
    let next = from;
    for (let at = 0; ;) {
      const start = at - buffer.countDropped();
      if (start < 0) throw new CutOffError(-start, next);
      const batch = buffer.slice(start, start + MAX_BATCH);
      const last = batch.at(-1);
      if (last) {
        at += batch.length;
        next = { epoch: last.epoch, index: last.index + 1 };
        yield batch;
      } else if (closed) {
        if (closed.error) throw closed.error;
        return;
      } else await changed.promise;
    }
  }
  return {
    append(chunks) {
      if (closed || chunks.length === 0) return;
      buffer.append(chunks);
      wake();
    },
    end: () => close(undefined),
    fail: close,
    async *read() {
      for await (const batch of readBatches()) for (const chunk of batch) yield chunk;
    },
    readBatches,
    getLast: buffer.getLast,
    outcome: outcome.promise,
  };
}

/** Buffers the newest chunks within the limits. The ordinal of the first one is the number of dropped ones. */
function createBuffer(limits: KeptLimits) {
  const kept: PositionedChunk[] = [];
  /** Of each kept chunk, bytes. */
  const sizes: number[] = [];
  let keptBytes = 0;
  let dropped = 0;
  /** Drops the oldest chunks, at most `most`. */
  const drop = (most: number) => {
    const target = { chunks: limits.chunks * (1 - DROPPED_AT_ONCE), bytes: limits.bytes * (1 - DROPPED_AT_ONCE) };
    let surplus = 0;
    while (surplus < most && (kept.length - surplus > target.chunks || keptBytes > target.bytes)) {
      keptBytes -= sizes[surplus] ?? 0;
      surplus += 1;
    }
    kept.splice(0, surplus);
    sizes.splice(0, surplus);
    dropped += surplus;
  };
  return {
    append(chunks: readonly PositionedChunk[]) {
      const earlier = kept.length;
      for (const positioned of chunks) {
        const size = measureChunk(positioned.chunk);
        kept.push(positioned);
        sizes.push(size);
        keptBytes += size;
      }
      // A replay returns more chunks than the bound at once: no reader could have read those.
      if (earlier > 0 && (kept.length > limits.chunks || keptBytes > limits.bytes)) drop(earlier);
    },
    countDropped: () => dropped,
    slice: (from: number, to: number) => kept.slice(from, to),
    getLast: () => kept.at(-1),
  };
}

/** Returns the size of a chunk in memory, about: a text of single-byte characters takes half of it. */
const measureChunk = (chunk: Chunk): number =>
  CHARACTER_BYTES * (isPlainDelta(chunk) && isSmall(chunk) ? measureDelta(chunk) : JSON.stringify(chunk).length);

const measureDelta = ({ runId, payload }: ChunkOf<'text-delta' | 'reasoning-delta'>): number =>
  runId.length + payload.id.length + payload.text.length + DELTA_BYTES;

/** The delta has no members but those of every delta. */
const isSmall = (delta: ChunkOf<'text-delta' | 'reasoning-delta'>): boolean =>
  Object.keys(delta).length === DELTA_MEMBERS && Object.keys(delta.payload).length === PAYLOAD_MEMBERS;

/** Reports a reader that lags behind the buffer: it can resume at the position without missing stored chunks. */
export class CutOffError extends MillraceError {
  /** Position of the next chunk for this reader: `from` of `follow`. */
  readonly from: Position;

  constructor(behind: number, from: Position) {
    super('chunks-gone', `This reader is ${behind} chunks behind the buffer.`, {
      remedy: `Follow the run from ${from.epoch}, ${from.index} to replay the stored chunks, and read chunks as they arrive.`,
    });
    this.from = from;
  }
}
