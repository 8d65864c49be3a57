// Reads a run's chunks and events back from their streams, by subject.
import {
  chunkBatchSchema,
  isFinal,
  runEventSchema,
  type ApiAnswer,
  type Chunk,
  type ChunkBatch,
  type RunEvent,
  type RunHead,
} from '@millrace/contracts';
import { decode, type JetStreamAccess } from '@millrace/bus';
import type { z } from 'zod';
import { SHARD } from '../run/chunk-publisher.ts';
import { visibleBatches } from './visible-chunks.ts';

/** Messages asked for at once. */
const BATCH_MESSAGES = 256;
/** One answer; a client asks on from `nextIndex`. Far below the server's limit. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

type Position = { epoch: number; index: number };

export async function readChunks(access: JetStreamAccess, head: RunHead, from: Position): Promise<ApiAnswer<'replay'>> {
  const { bus } = access;
  const subject = bus.subjects.log(SHARD, head.tenant, head.runId);
  const logged = await readAll(access, bus.names.chunks, subject, chunkBatchSchema);
  const last = head.lastChunk && isFinal(head.status) ? [lastBatch(head, head.lastChunk)] : [];
  const all = [...logged, ...last.filter(({ epoch, index }) => !logged.some((batch) => holds(batch, epoch, index)))];
  const visible = visibleBatches(all, from);
  const { batches, complete } = withinBytes(visible);
  const end = batches.at(-1);
  const nextIndex = complete ? Math.max(nextOf(all), from.index) : end ? end.index + end.chunks.length : from.index;
  return { status: head.status, epoch: head.epoch, nextIndex, batches, complete: complete && isFinal(head.status) };
}

/** The state is written before the last chunk goes out: a crash in between must not cost the reader the ending. */
function lastBatch(head: RunHead, lastChunk: Chunk): ChunkBatch {
  return { epoch: head.epoch, index: head.nextIndex - 1, chunks: [lastChunk] };
}

const holds = (batch: ChunkBatch, epoch: number, index: number) =>
  batch.epoch === epoch && batch.index <= index && index < batch.index + batch.chunks.length;

function nextOf(batches: readonly ChunkBatch[]): number {
  const last = batches.at(-1);
  return last ? last.index + last.chunks.length : 0;
}

function withinBytes(batches: readonly ChunkBatch[]): { batches: ChunkBatch[]; complete: boolean } {
  const kept: ChunkBatch[] = [];
  let bytes = 0;
  for (const batch of batches) {
    bytes += Buffer.byteLength(JSON.stringify(batch));
    if (bytes > MAX_ANSWER_BYTES && kept.length > 0) return { batches: kept, complete: false };
    kept.push(batch);
  }
  return { batches: kept, complete: true };
}

export async function readEvents(access: JetStreamAccess, tenant: string, run: string): Promise<RunEvent[]> {
  const { bus } = access;
  return readAll(access, bus.names.events, bus.subjects.events(SHARD, tenant, run), runEventSchema);
}

/** Everything that the stream has under one subject, in order. What does not fit its schema is logged and left out. */
async function readAll<T>(
  access: JetStreamAccess,
  stream: string,
  subject: string,
  schema: z.ZodType<T>,
): Promise<T[]> {
  const found: T[] = [];
  let seq = 1;
  for (;;) {
    const messages = await access.jsm.direct.getBatch(stream, { seq, next_by_subj: subject, batch: BATCH_MESSAGES });
    let count = 0;
    for await (const message of messages) {
      count += 1;
      seq = message.seq + 1;
      const value = decode(message.data, schema, subject);
      if ('ok' in value) found.push(value.ok);
      else access.bus.log.warn({ subject, error: value.error.message }, 'a stored message is left out');
    }
    if (count < BATCH_MESSAGES) return found;
  }
}
