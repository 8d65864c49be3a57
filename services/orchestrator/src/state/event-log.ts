// A run's audit trail: events are published as they come and acknowledged before the next checkpoint.
import type { RunEvent } from '@millrace/contracts';
import { publishDurably, type JetStreamAccess } from '@millrace/bus';
import { SHARD } from './chunk-publisher.ts';

type EventBody = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'epoch'> : never) : never;

export type EventLog = {
  record(event: EventBody): void;
  /**
   * Everything so far is acknowledged. What could not be stored is said once: the run ends by it, and its last event is still
   * tried. @throws bus-unreachable, message-too-large
   */
  flush(): Promise<void>;
};

export type EventLogOptions = { access: JetStreamAccess; tenant: string; runId: string; epoch: number };

export function createEventLog({ access, tenant, runId, epoch }: EventLogOptions): EventLog {
  const subject = access.bus.subjects.events(SHARD, tenant, runId);
  let count = 0;
  let stored: Promise<unknown> = Promise.resolve();
  let failure: { error: unknown } | undefined;
  const store = async (entry: object, id: string) => {
    try {
      await publishDurably(access, subject, entry, id);
    } catch (error) {
      failure ??= { error };
    }
  };
  return {
    record(event) {
      const id = `${tenant}.${runId}.${epoch}.${count++}`;
      const entry = { ...event, at: new Date().toISOString(), epoch };
      // One after the other: events are read back in the order of the stream.
      stored = stored.then(() => store(entry, id));
    },
    async flush() {
      await stored;
      const failed = failure;
      failure = undefined;
      if (failed) throw failed.error;
    },
  };
}
