// The record of a request, as a pure state machine. A gateway serves the request; when its answer ends, the record is removed, or a
// repetition joins its run for a minute.
import { tokenSchema } from '@millrace/contracts';
import { z } from 'zod';

export const KEEP_MS = 60_000;

/** `value`: the id of the run, or the mark of its calls; `request`: of this attempt; `until`: the end of the record of a failed run, ms since 1970. */
export type RequestRecord = { value: string; request: string } & (
  | { state: 'served'; by: string; until?: number | undefined }
  /** The connection was lost, or the gateway. */
  | { state: 'broken' }
  | { state: 'failed'; until: number }
);

/**
 * The end of an answer. `sent`: the client has all of it; `cut`: its connection was lost before, and the run continues or has ended;
 * `cancelled`: the run was cancelled with the connection; `status`: of the error of an accepted run.
 */
export type RequestEnd = 'sent' | 'cut' | 'cancelled' | { status: number };

export type RecordEvent =
  | { event: 'opened'; record: Extract<RequestRecord, { state: 'served' }> }
  | { event: 'renewed'; request: string }
  | { event: 'ended'; request: string; end: RequestEnd; now: number };

/** Statuses below 500 after which clients repeat a request by themselves. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429]);

/**
 * Returns the record to store, nothing if a repetition joins no run, and the same object if a later identical request has replaced the
 * record.
 */
export function reduceRecord(record: RequestRecord | undefined, event: RecordEvent): RequestRecord | undefined {
  if (event.event === 'opened') return event.record;
  if (record?.request !== event.request || record.state !== 'served') return record;
  return event.event === 'renewed' ? { ...record } : endRecord(record, event.end, event.now);
}

function endRecord(
  { value, request, until }: Extract<RequestRecord, { state: 'served' }>,
  end: RequestEnd,
  now: number,
): RequestRecord | undefined {
  if (end === 'sent' || end === 'cancelled') return undefined;
  if (end === 'cut') return { state: 'broken', value, request };
  if (end.status < 500 && !REPEATED.has(end.status)) return undefined;
  return { state: 'failed', value, request, until: until ?? now + KEEP_MS };
}

/** Returns the time for which the record is stored. That of a failed run ends a minute after the failure, however often its request is repeated. */
export function computeMsLeft(record: RequestRecord, now: number): number {
  const until = readUntil(record);
  return until === undefined ? KEEP_MS : Math.min(Math.max(until - now, 1), KEEP_MS);
}

export const readUntil = (record: RequestRecord): number | undefined =>
  record.state === 'broken' ? undefined : record.until;

/** The members of a stored record name its state: `by` that it is served, and `until` alone that its run has failed. */
const storedSchema = z.object({
  value: z.string(),
  request: z.string(),
  by: tokenSchema.optional(),
  until: z.number().optional(),
});

export const writeRecord = ({ state: _, ...stored }: RequestRecord): string => JSON.stringify(stored);

/** Returns undefined for a damaged record: its request is not repeated. */
export function readRecord(text: string | undefined): RequestRecord | undefined {
  const stored = parseStored(storedSchema, text);
  if (!stored) return undefined;
  const { by, until, ...record } = stored;
  if (by !== undefined) return { ...record, state: 'served', by, until };
  return until === undefined ? { ...record, state: 'broken' } : { ...record, state: 'failed', until };
}

/** Returns undefined for a text that a gateway has not written. */
export function parseStored<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
