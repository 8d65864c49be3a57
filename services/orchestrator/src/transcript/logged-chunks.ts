// Reads the chunks of a run that still count back from its log, from a position on, page by page.
import {
  MillraceError,
  containsPosition,
  loggedBatchSchema,
  type ChunkBatch,
  type Position,
  type RunHead,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { findPosition } from './find-position.ts';
import { areChunksMissing, findFirstNeeded } from './missing-chunks.ts';
import { readPage, readStored } from '../streams/read-stored.ts';
import { getLastIndex, isAtRest, readEnd } from '../head/run-head.ts';
import { selectVisibleChunks, type Visible } from './visible-chunks.ts';

/** Size of one page; a reader continues from its end. A quarter of the maximum message size of the shipped server. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024;
/** Log messages read for a page; each holds 32 KiB or 250 ms. */
const MAX_PAGE_MESSAGES = 1_024;

export function pageBytes({ bus }: JetStreamAccess): number {
  return Math.min(MAX_PAGE_BYTES, bus.readMaxPayload() / 2);
}

/** Reads one page. @throws chunks-gone, stored-by-newer, errors of JetStream */
export async function readVisible(access: JetStreamAccess, head: RunHead, from: Position): Promise<Visible> {
  const { bus } = access;
  const { tenant, runId, owners } = head;
  const isOver = isAtRest(head);
  const maxBytes = pageBytes(access);
  const subject = bus.subjects.runLog(tenant, runId);
  const query = {
    stream: access.chooseLogStream(tenant, runId),
    subject,
    schema: loggedBatchSchema,
    isLog: true as const,
  };
  const first = findFirstNeeded(head, from, isOver);
  let next = first && (await findPosition({ access, stream: query.stream, subject, owners }, first));
  if (next === undefined && areChunksMissing([], head, from, isOver)) throw createChunksMissingError(head);
  const retracts = next === undefined ? [] : await readRetracts(access, head);
  for (let isFirst = true; ; isFirst = false) {
    const page: Awaited<ReturnType<typeof readPage<ChunkBatch>>> =
      next === undefined
        ? { found: [], next }
        : await readPage(access, query, { from: next, maxMessages: MAX_PAGE_MESSAGES, maxBytes });
    const logged = page.found.map(({ value }) => value);
    if (isFirst && areChunksMissing(logged, head, from, isOver)) throw createChunksMissingError(head);
    next = page.next;
    const window = next === undefined ? await withLastChunk(access, logged, head) : logged;
    const visible = selectVisibleChunks(window, { retracts, owners }, from, maxBytes);
    const complete = visible.complete && next === undefined;
    // A page without counting chunks would be requested again: the answer continues after it.
    if (visible.batches.length > 0 || next === undefined) return { ...visible, complete };
  }
}

async function readRetracts(access: JetStreamAccess, { tenant, runId }: RunHead): Promise<ChunkBatch[]> {
  const { bus } = access;
  const subject = bus.subjects.log(tenant, runId, 'retract');
  return readStored(access, {
    stream: access.chooseLogStream(tenant, runId),
    subject,
    schema: loggedBatchSchema,
    isLog: true as const,
  });
}

/** The head is written before the last chunk is published: a crash in between must not cost the reader the ending. */
async function withLastChunk(access: JetStreamAccess, logged: ChunkBatch[], head: RunHead): Promise<ChunkBatch[]> {
  const last = { epoch: head.epoch, index: getLastIndex(head) };
  if (!isAtRest(head) || logged.some((batch) => containsPosition(batch, last))) return logged;
  const end = await readEnd(access, head);
  return end ? [...logged, { ...last, chunks: [end.lastChunk] }] : logged;
}

function createChunksMissingError({ runId, status }: RunHead): MillraceError {
  return new MillraceError('chunks-gone', `The chunks of "${runId}" (${status}) have expired from there on.`, {
    remedy: 'Request its result: it is stored longer than the chunks.',
  });
}
