// Reads a run's chunks and events back, for api.replay and api.events.
import {
  MillraceError,
  chunkBatchSchema,
  isFinal,
  runEventSchema,
  type ApiAnswer,
  type Chunk,
  type ChunkBatch,
  type RunEvent,
  type RunHead,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { SHARD } from '../state/chunk-publisher.ts';
import { areChunksGone, holds } from './missing-chunks.ts';
import { readStored } from './read-stored.ts';
import { visibleChunks, type Position } from './visible-chunks.ts';

/** One answer; a client asks on from `nextIndex`. A quarter of what the server that we ship takes as a message. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;

/** @throws chunks-gone */
export async function readChunks(access: JetStreamAccess, head: RunHead, from: Position): Promise<ApiAnswer<'replay'>> {
  const { bus } = access;
  const { status } = head;
  const isOver = isFinal(status);
  const subject = bus.subjects.logOf(SHARD, head.tenant, head.runId);
  const logged = await readStored(access, bus.names.chunks, subject, chunkBatchSchema);
  if (areChunksGone(logged, head, from, isOver)) throw chunksGone(head);
  const maxBytes = Math.min(MAX_ANSWER_BYTES, bus.maxPayload() / 2);
  const { batches, end, complete } = visibleChunks(withLastChunk(logged, head), from, maxBytes);
  return { status, epoch: end.epoch, nextIndex: end.index, batches, complete: complete && isOver };
}

/** The state is written before the last chunk goes out: a crash in between must not cost the reader the ending. */
function withLastChunk(logged: ChunkBatch[], head: RunHead): ChunkBatch[] {
  const { epoch, nextIndex, lastChunk } = head;
  const last = { epoch, index: nextIndex - 1 };
  if (!lastChunk || !isFinal(head.status) || logged.some((batch) => holds(batch, last))) return logged;
  return [...logged, { ...last, chunks: [lastChunk satisfies Chunk] }];
}

function chunksGone({ runId, status }: RunHead): MillraceError {
  return new MillraceError('chunks-gone', `The chunks of "${runId}" (${status}) are no longer kept from there on.`, {
    remedy: 'Ask for its result: it is kept longer than the chunks.',
  });
}

export async function readEvents(access: JetStreamAccess, tenant: string, run: string): Promise<RunEvent[]> {
  const { bus } = access;
  return readStored(access, bus.names.events, bus.subjects.events(SHARD, tenant, run), runEventSchema);
}
