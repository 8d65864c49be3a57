// Writes a run's messages into a stream, one after the other, in the order in which they were added. A message that
// could not be stored stays and is retried at the next flush.
import { publishBytesDurably, type JetStreamAccess } from '@millrace/bus';
import { FencedError } from './fenced-error.ts';

type WaitingMessage = { subject: string; payload: Uint8Array; msgID: string };

export type StoredQueue = {
  add(message: WaitingMessage): void;
  /** Waits until all messages are acked. @throws bus-unreachable; FencedError after `close` */
  flush(): Promise<void>;
  /** Discards the waiting messages: the run was fenced or has ended. */
  close(): void;
};

/** @param computeTtlSeconds time for which the stream keeps a message that is added now */
export function createStoredQueue(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
  computeTtlSeconds?: () => number,
): StoredQueue {
  const closing = new AbortController();
  const { signal } = closing;
  const waiting: WaitingMessage[] = [];
  let writing: Promise<void> | undefined;
  /** After an outage the next message is tried once instead of waiting for the outage again. */
  let once = false;

  const write = async () => {
    // Yields before the first write, so that `writing` is assigned before it and reset before a caller can see an empty
    // queue.
    await Promise.resolve();
    try {
      for (let first = waiting[0]; first && !signal.aborted; first = waiting[0]) {
        await publishBytesDurably(access, first.subject, first.payload, first.msgID, {
          signal,
          once,
          ...(computeTtlSeconds && { ttlSeconds: computeTtlSeconds() }),
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
      // The next flush reports a failure: the message is still in the queue.
      writeAll().catch(() => undefined);
    },
    async flush() {
      await writeAll();
      if (signal.aborted) throw new FencedError(tenant, runId);
    },
    close() {
      // With a reason: the default one is an error with a stack, for each run twice.
      closing.abort('closed');
      waiting.length = 0;
    },
  };
}
