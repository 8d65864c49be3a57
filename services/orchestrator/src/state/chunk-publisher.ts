// A run's chunks on their way out: live at once (what is ready in one turn of the event loop is one message), and gathered into
// the log, which is acknowledged before a checkpoint names its end. A chunk is written as JSON once, for both.
import { MillraceError, type Chunk } from '@millrace/contracts';
import { publishBytes, publishBytesDurably, type JetStreamAccess } from '@millrace/bus';

/** The log gathers this long or this much. Source: architecture.md, section 5. */
const GATHER_MS = 250;
const GATHER_BYTES = 8 * 1024;
/** One live message at most; the server's own limit is far above. */
const MAX_BATCH_BYTES = 256 * 1024;
/** One stream of chunks for now; more shards come by configuration. */
export const SHARD = '0';

export type ChunkPublisher = {
  /** Index of the next chunk. */
  nextIndex(): number;
  publish(chunks: readonly Chunk[]): void;
  /** Everything so far is live, and acknowledged by the log. @throws bus-unreachable */
  flush(): Promise<void>;
  /** Forgets what is not out yet and publishes nothing more: the run was fenced. */
  close(): void;
};

export type PublisherOptions = {
  access: JetStreamAccess;
  tenant: string;
  runId: string;
  epoch: number;
  firstIndex: number;
};

type Gathered = { index: number; parts: string[]; bytes: number };
const nothing = (index: number): Gathered => ({ index, parts: [], bytes: 0 });

export function createChunkPublisher({ access, tenant, runId, epoch, firstIndex }: PublisherOptions): ChunkPublisher {
  const { bus } = access;
  const liveSubject = bus.subjects.chunks(tenant, runId);
  const logSubject = bus.subjects.log(SHARD, tenant, runId);
  let next = firstIndex;
  let live = nothing(next);
  let log = nothing(next);
  let turn: NodeJS.Immediate | undefined;
  let gather: NodeJS.Timeout | undefined;
  let stored: Promise<unknown> = Promise.resolve();
  let closed = false;

  const message = ({ index, parts }: Gathered) =>
    Buffer.from(`{"epoch":${epoch},"index":${index},"chunks":[${parts.join(',')}]}`);
  const sendLive = () => {
    if (turn) clearImmediate(turn);
    turn = undefined;
    if (live.parts.length === 0 || closed) return;
    publishBytes(bus, liveSubject, message(live));
    live = nothing(next);
  };
  const sendLog = () => {
    clearTimeout(gather);
    gather = undefined;
    if (log.parts.length === 0 || closed) return;
    const batch = message(log);
    const id = `${tenant}.${runId}.${epoch}.${log.index}`;
    log = nothing(next);
    // One after the other: the log's order is the order of its indexes.
    stored = stored.then(() => publishBytesDurably(access, logSubject, batch, id));
    stored.catch(() => undefined);
  };
  const add = (chunk: Chunk) => {
    const part = JSON.stringify(chunk);
    const bytes = Buffer.byteLength(part);
    if (bytes > bus.maxPayload() - MAX_BATCH_BYTES) throw tooLarge(chunk, bytes);
    if (live.bytes + bytes > MAX_BATCH_BYTES) sendLive();
    if (log.bytes + bytes > MAX_BATCH_BYTES) sendLog();
    for (const gathered of [live, log]) {
      gathered.parts.push(part);
      gathered.bytes += bytes;
    }
    next += 1;
  };
  return {
    nextIndex: () => next,
    publish(chunks) {
      if (closed) return;
      for (const chunk of chunks) add(chunk);
      turn ??= setImmediate(sendLive);
      if (log.bytes >= GATHER_BYTES) sendLog();
      else gather ??= setTimeout(sendLog, GATHER_MS);
    },
    async flush() {
      sendLive();
      sendLog();
      await stored;
    },
    close() {
      closed = true;
      clearTimeout(gather);
      if (turn) clearImmediate(turn);
    },
  };
}

function tooLarge(chunk: Chunk, bytes: number): MillraceError {
  return new MillraceError(
    'message-too-large',
    `A ${chunk.type} chunk of ${bytes} bytes is larger than a message may be.`,
    {
      remedy: 'Send files as references.',
    },
  );
}
