// A run's audit trail: events are published as they come and acknowledged before the next checkpoint.
import type { RunEvent } from '@millrace/contracts';
import { encodeWithin, type JetStreamAccess } from '@millrace/bus';
import { SHARD } from './chunk-publisher.ts';
import { createStoredQueue } from './stored-queue.ts';

type EventBody = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'epoch'> : never) : never;

export type EventLog = {
  record(event: EventBody): void;
  /**
   * Everything so far is acknowledged. An event that no message can hold is said once: the run ends by it, and its last event is
   * still stored. @throws bus-unreachable, message-too-large; FencedError after `close`
   */
  flush(): Promise<void>;
  /** Forgets what is not stored yet and records nothing more: the run was fenced, or is over. */
  close(): void;
};

export type EventLogOptions = { access: JetStreamAccess; tenant: string; runId: string; epoch: number };

export function createEventLog({ access, tenant, runId, epoch }: EventLogOptions): EventLog {
  const { bus } = access;
  const subject = bus.subjects.events(SHARD, tenant, runId);
  const stored = createStoredQueue(access, tenant, runId);
  let count = 0;
  let refused: { error: unknown } | undefined;
  return {
    record(body) {
      const event = { ...body, at: new Date().toISOString(), epoch };
      try {
        const payload = encodeWithin(event, bus.maxPayload(), subject);
        stored.add({ subject, payload, msgID: `${tenant}.${runId}.${epoch}.${count++}` });
      } catch (error) {
        refused ??= { error };
      }
    },
    async flush() {
      await stored.flush();
      const failed = refused;
      refused = undefined;
      if (failed) throw failed.error;
    },
    close: stored.close,
  };
}
