// Publishes a run's chunks: live at once (the chunks of one turn of the event loop are one message), and gathered into
// the log, which is acked before a checkpoint names its end. Each chunk is serialized once for both. Transient chunks
// are published live only, without an index: no reader counts them, no log keeps them.
import {
  MillraceError,
  COMMON_VERSION,
  isDataChunk,
  writeLiveBatch,
  writeLoggedBatch,
  type Chunk,
  type LogKind,
} from '@millrace/contracts';
import { publishBytes, type JetStreamAccess } from '@millrace/bus';
import { createStoredQueue } from '../streams/stored-queue.ts';

/** The log gathers chunks for this time or up to this size. */
const GATHER_MS = 250;
const GATHER_BYTES = 32 * 1024;
/** Maximum size of a live message; the server's own limit is far above. */
const MAX_BATCH_BYTES = 256 * 1024;
/** Time for which a run's chunks can be read after its deadline. */
const KEPT_AFTER_MS = 10 * 60_000;

export type ChunkPublisher = {
  /** Returns the index of the next chunk. */
  getNextIndex(): number;
  /** Publishes the chunks, or nothing after `close`: the next flush reports that. @throws message-too-large */
  publish(chunks: readonly Chunk[]): void;
  /** Publishes the last chunk, live only: replays take it from the run's end, which is stored by then. */
  publishLast(chunk: Chunk): void;
  /** Waits until all chunks are live and acked by the log. @throws bus-unreachable, FencedError after `close` */
  flush(): Promise<void>;
  /** Discards unpublished chunks and publishes nothing more: the run was fenced or has ended. */
  close(): void;
};

export type PublisherOptions = {
  access: JetStreamAccess;
  tenant: string;
  /** The run's owner: readOwner(head). */
  caller: string;
  runId: string;
  epoch: number;
  firstIndex: number;
  /** Milliseconds since 1970, by the server's clock. */
  deadlineAt: number;
};

type GatheredBatch = { index: number; parts: string[]; bytes: number };
const createEmptyBatch = (index: number): GatheredBatch => ({ index, parts: [], bytes: 0 });

function gatherInto(gathered: GatheredBatch, part: string, bytes: number): void {
  gathered.parts.push(part);
  gathered.bytes += bytes;
}

const computeKeptSeconds = (remainingMs: number): number =>
  Math.ceil((Math.max(remainingMs, 0) + KEPT_AFTER_MS) / 1_000);

export function createChunkPublisher(options: PublisherOptions): ChunkPublisher {
  const { access, tenant, caller, runId, epoch, firstIndex, deadlineAt } = options;
  const { bus, clock } = access;
  const readKeptSeconds = () => computeKeptSeconds(deadlineAt - clock.now());
  const liveSubject = bus.subjects.chunks(tenant, caller, runId);
  const stored = createStoredQueue(access, tenant, runId, readKeptSeconds);
  let next = firstIndex;
  const gathered = { live: createEmptyBatch(next), transient: createEmptyBatch(next), log: createEmptyBatch(next) };
  let turn: NodeJS.Immediate | undefined;
  let gather: NodeJS.Timeout | undefined;
  let closed = false;

  const sendLive = () => {
    if (turn) clearImmediate(turn);
    turn = undefined;
    const { live, transient } = gathered;
    if ((live.parts.length === 0 && transient.parts.length === 0) || closed) return;
    const { index, parts: chunks } = live;
    const withTransient = transient.parts.length > 0 && { transient: transient.parts };
    publishBytes(bus, liveSubject, Buffer.from(writeLiveBatch({ epoch, index, chunks, ...withTransient })));
    gathered.live = createEmptyBatch(next);
    gathered.transient = createEmptyBatch(next);
  };
  const sendLog = (kind: LogKind = 'chunks') => {
    clearTimeout(gather);
    gather = undefined;
    const { log } = gathered;
    if (log.parts.length === 0 || closed) return;
    const subject = bus.subjects.log(tenant, runId, kind);
    const { index, parts: chunks } = log;
    stored.add({
      subject,
      payload: Buffer.from(writeLoggedBatch({ epoch, index, chunks, v: COMMON_VERSION })),
      msgID: `${tenant}.${runId}.${epoch}.${index}`,
    });
    gathered.log = createEmptyBatch(next);
  };
  const publishLast = (chunk: Chunk) => {
    if (closed) return;
    sendLive();
    gatherInto(gathered.live, JSON.stringify(chunk), 0);
    next += 1;
    sendLive();
  };
  const add = (chunk: Chunk) => {
    const part = JSON.stringify(chunk);
    const bytes = Buffer.byteLength(part);
    if (bytes > bus.readMaxPayload() - MAX_BATCH_BYTES) throw createChunkTooLargeError(chunk, bytes);
    if (gathered.live.bytes + gathered.transient.bytes + bytes > MAX_BATCH_BYTES) sendLive();
    if (isTransient(chunk)) return gatherInto(gathered.transient, part, bytes);
    // Transient chunks follow the counted chunks of their message.
    if (gathered.transient.parts.length > 0) sendLive();
    const isRetract = chunk.type === 'retract';
    if (isRetract || gathered.log.bytes + bytes > MAX_BATCH_BYTES) sendLog();
    gatherInto(gathered.live, part, bytes);
    gatherInto(gathered.log, part, bytes);
    next += 1;
    if (isRetract) sendLog('retract');
  };
  return {
    getNextIndex: () => next,
    publish(chunks) {
      if (closed) return;
      for (const chunk of chunks) add(chunk);
      turn ??= setImmediate(sendLive);
      if (gathered.log.bytes >= GATHER_BYTES) sendLog();
      else if (gathered.log.parts.length > 0) gather ??= setTimeout(sendLog, GATHER_MS);
    },
    publishLast,
    async flush() {
      sendLive();
      sendLog();
      await stored.flush();
    },
    close() {
      closed = true;
      stored.close();
      clearTimeout(gather);
      if (turn) clearImmediate(turn);
    },
  };
}

/** Returns whether the chunk is a transient custom chunk. Chunks of the model or the run are always kept. */
export const isTransient = (chunk: Chunk): boolean =>
  isDataChunk(chunk) && 'transient' in chunk && chunk.transient === true;

function createChunkTooLargeError(chunk: Chunk, bytes: number): MillraceError {
  return new MillraceError(
    'message-too-large',
    `A ${chunk.type} chunk of ${bytes} bytes exceeds the maximum message size.`,
    {
      remedy: 'Send files as references.',
    },
  );
}
