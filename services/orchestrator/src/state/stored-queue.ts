// Messages of a run on their way into a stream, one after the other: their order there is the order in which they were added. What
// could not be stored stays, and is tried again at the next flush.
import { publishBytesDurably, type JetStreamAccess } from '@millrace/bus';
import { FencedError } from './fenced-error.ts';

type Waiting = { subject: string; payload: Uint8Array; msgID: string };

export type StoredQueue = {
  add(message: Waiting): void;
  /** Everything so far is acknowledged. @throws bus-unreachable; FencedError after `close` */
  flush(): Promise<void>;
  /** Forgets what waits: the run was fenced, or is over. */
  close(): void;
};

/** @param ttlSeconds how long the stream keeps what is added now */
export function createStoredQueue(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
  ttlSeconds?: () => number,
): StoredQueue {
  const closing = new AbortController();
  const { signal } = closing;
  const waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  /** An outage that was waited out is not waited out again for each message: the next try is one. */
  let once = false;

  const write = async () => {
    // Assigned before the first one is written, and taken back before anybody else can see that none is left.
    await Promise.resolve();
    try {
      for (let first = waiting[0]; first && !signal.aborted; first = waiting[0]) {
        await publishBytesDurably(access, first.subject, first.payload, first.msgID, {
          signal,
          once,
          ...(ttlSeconds && { ttlSeconds: ttlSeconds() }),
        });
        once = false;
        waiting.shift();
      }
    } catch (error) {
      once = true;
      if (!signal.aborted) throw error;
    } finally {
      writing = undefined;
    }
  };
  const writeAll = (): Promise<void> => (writing ??= write());
  return {
    add(message) {
      if (signal.aborted) return;
      waiting.push(message);
      // Who flushes learns of a failure: the message is still there.
      writeAll().catch(() => undefined);
    },
    async flush() {
      await writeAll();
      if (signal.aborted) throw new FencedError(tenant, runId);
    },
    close() {
      closing.abort();
      waiting.length = 0;
    },
  };
}
