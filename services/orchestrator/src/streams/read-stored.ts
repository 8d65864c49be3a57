// Reads the messages of a stream under one subject, in order, by direct gets, page by page. Messages that do not fit
// the schema are logged and skipped.
import { MillraceError } from '@millrace/contracts';
import { decodeStored, type JetStreamAccess } from '@millrace/bus';
import type { z } from 'zod';

/**
 * Bounds of one request, because the client buffers its answer. NATS counts the pending messages for each request: 100,000
 * heads in batches of 256, 1,000 and 5,000 take 10.9, 3.8 and 1.7 s.
 */
const BATCH_MESSAGES = 5_000;
const BATCH_BYTES = 4 * 1024 * 1024;
/** A batch that a broken connection cut off never ends by itself. */
const BATCH_TIMEOUT_MS = 10_000;
const NO_MESSAGES = 404;

export type StoredMessage<T> = { value: T; subject: string; sequence: number; bytes: number };
export type StoredPage<T> = {
  found: StoredMessage<T>[];
  /** Sequence of the next page; undefined if nothing more is stored. */
  next: number | undefined;
};
export type StoredQuery<T> = {
  stream: string;
  /** May have wildcards. */
  subject: string;
  schema: z.ZodType<T>;
  /** Its messages are parts of a whole: one of a newer version is not skipped. */
  isLog?: true;
  /** Called for a removed or expired key, and for a message that is skipped. */
  onAbsent?: (subject: string, sequence: number) => void;
};
export type StoredPageOptions = { from: number; maxMessages: number; maxBytes: number };

/**
 * Reads from a sequence on, as many messages as the bounds allow, at least one. @throws timeout, stored-by-newer,
 * errors of JetStream
 */
export async function readPage<T>(
  access: JetStreamAccess,
  { stream, subject, schema, isLog, onAbsent }: StoredQuery<T>,
  { from, maxMessages, maxBytes }: StoredPageOptions,
): Promise<StoredPage<T>> {
  const found: StoredMessage<T>[] = [];
  let bytes = 0;
  let newer: MillraceError | undefined;
  let next: number | undefined = from;
  const take = ({ data, seq, subject: own }: StoredItem) => {
    const isFull = found.length >= maxMessages || (found.length > 0 && bytes + data.length > maxBytes);
    if (isFull) return false;
    // A removed or expired key has an empty message.
    if (data.length === 0) {
      onAbsent?.(own, seq);
      return true;
    }
    const value = decodeStored(data, schema, subject);
    if ('error' in value) {
      if (isLog && value.error.code === 'stored-by-newer') newer ??= value.error;
      access.bus.log.warn({ subject, error: value.error.message }, 'stored message skipped');
      onAbsent?.(own, seq);
      return true;
    }
    bytes += data.length;
    found.push({ value: value.ok, subject: own, sequence: seq, bytes: data.length });
    return true;
  };
  while (next !== undefined && found.length < maxMessages) {
    const batch = Math.min(maxMessages - found.length, BATCH_MESSAGES);
    const read = await readBatch(
      access,
      { stream, subject, seq: next, batch, max_bytes: Math.min(maxBytes, BATCH_BYTES) },
      take,
    );
    ({ next } = read);
    if (newer) throw newer;
    if (read.isFull) break;
  }
  return { found, next };
}

export const PAGE_MESSAGES = 1_000;
/** For readers that need all pages. */
export const LARGE_PAGE_MESSAGES = BATCH_MESSAGES;

/** Reads everything, page by page, so that the caller holds one page at a time. */
export async function* readPages<T>(
  access: JetStreamAccess,
  query: StoredQuery<T>,
  first = 1,
  maxMessages: number = PAGE_MESSAGES,
): AsyncGenerator<StoredMessage<T>[]> {
  for (let from: number | undefined = first; from !== undefined;) {
    const page: StoredPage<T> = await readPage(access, query, { from, maxMessages, maxBytes: BATCH_BYTES });
    yield page.found;
    from = page.next;
  }
}

/** Reads everything. Only for data that is known to be small. */
export async function readStored<T>(access: JetStreamAccess, query: StoredQuery<T>): Promise<T[]> {
  const { found } = await readPage(access, query, { from: 1, maxMessages: Infinity, maxBytes: Infinity });
  return found.map(({ value }) => value);
}

type StoredReadRequest = { stream: string; subject: string; seq: number; batch: number; max_bytes: number };
type StoredItem = { data: Uint8Array; seq: number; subject: string };

type StoredRead = { next: number | undefined; isFull: boolean };

/**
 * Resolves with the sequence to continue from, if there is more: the server ends a batch early if it has become large.
 * Uses a callback, because an iterator's subscription is never released (nats.js 3.4).
 * @param take returns false if the page is full: it continues with this message
 */
async function readBatch(
  { jsm }: JetStreamAccess,
  { stream, subject, seq, batch: count, max_bytes }: StoredReadRequest,
  take: (message: StoredItem) => boolean,
): Promise<StoredRead> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => over.reject(new MillraceError('timeout', `${stream} stopped answering.`)),
    BATCH_TIMEOUT_MS,
  );
  let next: number | undefined;
  let isFull = false;
  const batch = await jsm.direct.getBatch(stream, {
    seq,
    next_by_subj: subject,
    batch: count,
    max_bytes,
    callback: (done, message) => {
      if (!done) {
        if (isFull) return;
        isFull = !take(message);
        next = isFull ? message.seq : message.pending > 0 ? message.seq + 1 : undefined;
      } else if (done.err && !isNoMessages(done.err)) over.reject(done.err);
      else over.resolve();
    },
  });
  try {
    await over.promise;
    return { next, isFull };
  } finally {
    clearTimeout(timer);
    batch.stop();
  }
}

function isNoMessages(error: Error): boolean {
  return 'code' in error && error.code === NO_MESSAGES;
}
