// Reads a run's chunks and events back, for api.replay and api.events: from the requested position, page by page.
import {
  MillraceError,
  comparePositions,
  eventBatchSchema,
  isFinal,
  type ApiAnswer,
  type Position,
  type RunEvent,
  type RunHead,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { SHARD } from '../state/event-log.ts';
import { pageBytes, readVisible } from '../transcript/logged-chunks.ts';
import { readPage } from '../streams/read-stored.ts';
import { getLastIndex, isAtRest, readHead } from '../head/run-head.ts';

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
  const last = { epoch: head.epoch, index: getLastIndex(head) };
  const isWhole = complete && isAtRest(head) && comparePositions(end, last) > 0;
  return {
    status,
    epoch: end.epoch,
    nextIndex: end.index,
    batches,
    complete: isWhole,
    remainingMs: computeRemainingMs(head, access.clock.now()),
  };
}

/** Returns the time until a suspended run expires plus its remaining time. */
export function computeRemainingMs({ deadlineAt, suspension }: RunHead, now: number): number {
  if (!suspension) return deadlineAt - now;
  return suspension.remainingMs + Math.max(suspension.expiresAt - now, 0);
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
  const hasEnding = events.some(isEnding);
  return { events: ended && !hasEnding ? [...events, { event: 'run', ...ended, epoch, status }] : events };
}
