// Everything that a stream has under one subject, in order, by direct gets. What does not fit its schema is logged and left out.
import { MillraceError } from '@millrace/contracts';
import { decode, type JetStreamAccess } from '@millrace/bus';
import type { z } from 'zod';

/** Messages asked for at once. */
const BATCH_MESSAGES = 256;
/** A batch that a broken connection cut off never ends by itself. */
const BATCH_TIMEOUT_MS = 10_000;
const NO_MESSAGES = 404;

export async function readStored<T>(
  access: JetStreamAccess,
  stream: string,
  subject: string,
  schema: z.ZodType<T>,
): Promise<T[]> {
  const found: T[] = [];
  const take = (data: Uint8Array) => {
    const value = decode(data, schema, subject);
    if ('ok' in value) found.push(value.ok);
    else access.bus.log.warn({ subject, error: value.error.message }, 'a stored message is left out');
  };
  for (let seq: number | undefined = 1; seq !== undefined;)
    seq = await readBatch(access, { stream, subject, seq }, take);
  return found;
}

type Ask = { stream: string; subject: string; seq: number };

/**
 * Resolves with the sequence to ask on from, if there is more: the server ends a batch early where it has become large. With a
 * callback, because an iterator's subscription is never given back (nats.js 3.4).
 */
async function readBatch(
  { jsm }: JetStreamAccess,
  { stream, subject, seq }: Ask,
  take: (data: Uint8Array) => void,
): Promise<number | undefined> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(
    () => over.reject(new MillraceError('timeout', `${stream} stopped answering.`)),
    BATCH_TIMEOUT_MS,
  );
  let next: number | undefined;
  const batch = await jsm.direct.getBatch(stream, {
    seq,
    next_by_subj: subject,
    batch: BATCH_MESSAGES,
    callback: (done, message) => {
      if (!done) {
        next = message.pending > 0 ? message.seq + 1 : undefined;
        take(message.data);
      } else if (done.err && !isNoMessages(done.err)) over.reject(done.err);
      else over.resolve();
    },
  });
  try {
    await over.promise;
    return next;
  } finally {
    clearTimeout(timer);
    batch.stop();
  }
}

function isNoMessages(error: Error): boolean {
  return 'code' in error && error.code === NO_MESSAGES;
}
