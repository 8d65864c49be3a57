// Reads a run's chunks and events back, for api.replay and api.events: from the requested position, page by page.
import {
  MillraceError,
  containsPosition,
  loggedBatchSchema,
  eventBatchSchema,
  isFinal,
  type ApiAnswer,
  type ChunkBatch,
  type Position,
  type RunEvent,
  type RunHead,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { SHARD } from '../state/event-log.ts';
import { isAtRest, getLastIndex, readEnd, readHead } from '../state/run-head.ts';
import { findPosition } from './find-position.ts';
import { areChunksGone, findFirstNeeded } from './missing-chunks.ts';
import { readPage, readStored } from './read-stored.ts';
import { visibleChunks, type Visible } from './visible-chunks.ts';

/** Size of one answer; a client continues from its end. A quarter of the maximum message size of the shipped server. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Log messages read for a page; each holds 32 KiB or 250 ms. */
const MAX_PAGE_MESSAGES = 1_024;

export function pageBytes({ bus }: JetStreamAccess): number {
  return Math.min(MAX_ANSWER_BYTES, bus.maxPayload() / 2);
}

/** Number of takeovers of the run during the read of one page. */
const MAX_HEADS = 3;

/** @throws chunks-gone */
export async function readChunks(access: JetStreamAccess, head: RunHead, from: Position): Promise<ApiAnswer<'replay'>> {
  let current = head;
  for (let heads = 1; ; heads += 1) {
    try {
      return await readOwnPage(access, current, from);
    } catch (error) {
      // The log is newer than the head: with chunks of a later owner, earlier ones look missing.
      const newer =
        isIncomplete(error) && heads < MAX_HEADS && (await readHead(access, head.tenant, head.runId))?.value;
      if (!newer || newer.epoch === current.epoch) throw error;
      current = newer;
    }
  }
}

const isIncomplete = (error: unknown): boolean => MillraceError.isInstance(error) && error.code === 'chunks-gone';

async function readOwnPage(access: JetStreamAccess, head: RunHead, from: Position): Promise<ApiAnswer<'replay'>> {
  const { status } = head;
  const { batches, end, complete } = await readVisible(access, head, from);
  const isWhole = complete && isAtRest(head);
  return {
    status,
    epoch: end.epoch,
    nextIndex: end.index,
    batches,
    complete: isWhole,
    remainingMs: remainingMs(head, access.clock.now()),
  };
}

/** Returns the time until a suspended run expires plus its remaining time. */
export function remainingMs({ deadlineAt, suspension }: RunHead, now: number): number {
  if (!suspension) return deadlineAt - now;
  return suspension.remainingMs + Math.max(suspension.expiresAt - now, 0);
}

async function readVisible(access: JetStreamAccess, head: RunHead, from: Position): Promise<Visible> {
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
  if (next === undefined && areChunksGone([], head, from, isOver)) throw chunksGone(head);
  const retracts = next === undefined ? [] : await readRetracts(access, head);
  for (let isFirst = true; ; isFirst = false) {
    const page: Awaited<ReturnType<typeof readPage<ChunkBatch>>> =
      next === undefined
        ? { found: [], next }
        : await readPage(access, query, { from: next, maxMessages: MAX_PAGE_MESSAGES, maxBytes });
    const logged = page.found.map(({ value }) => value);
    if (isFirst && areChunksGone(logged, head, from, isOver)) throw chunksGone(head);
    next = page.next;
    const window = next === undefined ? await withLastChunk(access, logged, head) : logged;
    const visible = visibleChunks(window, { retracts, owners }, from, maxBytes);
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

function chunksGone({ runId, status }: RunHead): MillraceError {
  return new MillraceError('chunks-gone', `The chunks of "${runId}" (${status}) have expired from there on.`, {
    remedy: 'Request its result: it is stored longer than the chunks.',
  });
}

export type EventPage = { events: RunEvent[]; next?: number };

/**
 * Reads events. The ending is that of the head: its event is stored before the head, and an ending of a replaced owner
 * does not count.
 */
export async function readEvents(
  access: JetStreamAccess,
  head: RunHead,
  { after, limit }: { after: number; limit: number },
): Promise<EventPage> {
  const { bus } = access;
  const subject = bus.subjects.events(SHARD, head.tenant, head.runId);
  const query = { stream: bus.names.events, subject, schema: eventBatchSchema, isLog: true as const };
  const options = { from: after + 1, maxMessages: limit, maxBytes: pageBytes(access) };
  const { found, next } = await readPage(access, query, options);
  const { ended, epoch, status } = head;
  const isEnding = (event: RunEvent) => event.event === 'run' && isFinal(event.status);
  const isConfirmed = (event: RunEvent) => isFinal(status) && event.epoch === epoch;
  const events = found.flatMap(({ value }) => value.events).filter((event) => !isEnding(event) || isConfirmed(event));
  if (next !== undefined) return { events, next: next - 1 };
  const isTold = events.some(isEnding);
  return { events: ended && !isTold ? [...events, { event: 'run', ...ended, epoch, status }] : events };
}
