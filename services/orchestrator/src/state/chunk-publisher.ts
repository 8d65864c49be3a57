// A run's chunks on their way out: live at once (what is ready in one turn of the event loop is one message), and gathered into
// the log, which is acknowledged before a checkpoint names its end. A chunk is written as JSON once, for both. Transient chunks
// go out live alone, without an index: nothing counts them, nothing keeps them.
import { MillraceError, STORED_VERSION, isDataChunk, type Chunk, type LogKind } from '@millrace/contracts';
import { publishBytes, type JetStreamAccess } from '@millrace/bus';
import { createStoredQueue } from './stored-queue.ts';

/** The log gathers this long or this much. */
const GATHER_MS = 250;
const GATHER_BYTES = 32 * 1024;
/** One live message at most; the server's own limit is far above. */
const MAX_BATCH_BYTES = 256 * 1024;
/** After its deadline a run's chunks can be read for so long. */
const KEPT_AFTER_MS = 10 * 60_000;

export type ChunkPublisher = {
  /** Index of the next chunk. */
  nextIndex(): number;
  /** Nothing is published any more after `close`: whoever publishes learns at the next flush. @throws message-too-large */
  publish(chunks: readonly Chunk[]): void;
  /** The last chunk, live alone: replays have it from the run's end, which is stored by then. */
  publishLast(chunk: Chunk): void;
  /** Everything so far is live, and acknowledged by the log. @throws bus-unreachable, FencedError after `close` */
  flush(): Promise<void>;
  /** Forgets what is not out yet and publishes nothing more: the run was fenced, or is over. */
  close(): void;
};

export type PublisherOptions = {
  access: JetStreamAccess;
  tenant: string;
  runId: string;
  epoch: number;
  firstIndex: number;
  /** Milliseconds since 1970, by the server's clock. */
  deadlineAt: number;
};

type Gathered = { index: number; parts: string[]; bytes: number };
const nothing = (index: number): Gathered => ({ index, parts: [], bytes: 0 });

export function createChunkPublisher({
  access,
  tenant,
  runId,
  epoch,
  firstIndex,
  deadlineAt,
}: PublisherOptions): ChunkPublisher {
  const { bus, clock } = access;
  const keptSeconds = () => Math.ceil((Math.max(deadlineAt - clock.now(), 0) + KEPT_AFTER_MS) / 1_000);
  const liveSubject = bus.subjects.chunks(tenant, runId);
  const stored = createStoredQueue(access, tenant, runId, keptSeconds);
  let next = firstIndex;
  let live = nothing(next);
  let transient = nothing(next);
  let log = nothing(next);
  let turn: NodeJS.Immediate | undefined;
  let gather: NodeJS.Timeout | undefined;
  let closed = false;

  const message = ({ index, parts }: Gathered, more = '') =>
    Buffer.from(`{"epoch":${epoch},"index":${index},"chunks":[${parts.join(',')}]${more}}`);
  const sendLive = () => {
    if (turn) clearImmediate(turn);
    turn = undefined;
    if ((live.parts.length === 0 && transient.parts.length === 0) || closed) return;
    const more = transient.parts.length === 0 ? '' : `,"transient":[${transient.parts.join(',')}]`;
    publishBytes(bus, liveSubject, message(live, more));
    live = nothing(next);
    transient = nothing(next);
  };
  const sendLog = (kind: LogKind = 'chunks') => {
    clearTimeout(gather);
    gather = undefined;
    if (log.parts.length === 0 || closed) return;
    const subject = bus.subjects.log(tenant, runId, kind);
    stored.add({
      subject,
      payload: message(log, `,"v":${STORED_VERSION}`),
      msgID: `${tenant}.${runId}.${epoch}.${log.index}`,
    });
    log = nothing(next);
  };
  const gatherInto = (gathered: Gathered, part: string, bytes: number) => {
    gathered.parts.push(part);
    gathered.bytes += bytes;
  };
  const publishLast = (chunk: Chunk) => {
    if (closed) return;
    sendLive();
    gatherInto(live, JSON.stringify(chunk), 0);
    next += 1;
    sendLive();
  };
  const add = (chunk: Chunk) => {
    const part = JSON.stringify(chunk);
    const bytes = Buffer.byteLength(part);
    if (bytes > bus.maxPayload() - MAX_BATCH_BYTES) throw tooLarge(chunk, bytes);
    if (live.bytes + transient.bytes + bytes > MAX_BATCH_BYTES) sendLive();
    if (isTransient(chunk)) return gatherInto(transient, part, bytes);
    // What is transient stands after the chunks of its message.
    if (transient.parts.length > 0) sendLive();
    const isRetract = chunk.type === 'retract';
    if (isRetract || log.bytes + bytes > MAX_BATCH_BYTES) sendLog();
    gatherInto(live, part, bytes);
    gatherInto(log, part, bytes);
    next += 1;
    if (isRetract) sendLog('retract');
  };
  return {
    nextIndex: () => next,
    publish(chunks) {
      if (closed) return;
      for (const chunk of chunks) add(chunk);
      turn ??= setImmediate(sendLive);
      if (log.bytes >= GATHER_BYTES) sendLog();
      else if (log.parts.length > 0) gather ??= setTimeout(sendLog, GATHER_MS);
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

/** Custom chunks alone: what the model or the run says is always kept. */
export const isTransient = (chunk: Chunk): boolean =>
  isDataChunk(chunk) && 'transient' in chunk && chunk.transient === true;

function tooLarge(chunk: Chunk, bytes: number): MillraceError {
  return new MillraceError(
    'message-too-large',
    `A ${chunk.type} chunk of ${bytes} bytes is larger than a message may be.`,
    {
      remedy: 'Send files as references.',
    },
  );
}
