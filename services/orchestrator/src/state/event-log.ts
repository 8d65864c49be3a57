// Gathers a run's audit events; they are acked before the next checkpoint.
import { MillraceError, COMMON_VERSION, type RunEvent } from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { hashResource } from './hash-resource.ts';
import { createStoredQueue } from '../streams/stored-queue.ts';

type EventBody = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at' | 'epoch'> : never) : never;

/** All events are in one stream. */
export const SHARD = '0';

export type EventLog = {
  record(event: EventBody): void;
  /**
   * Waits until all events are acked. An event that no message can hold fails one flush: the run ends by it, and its
   * last event is still stored. @throws bus-unreachable, message-too-large; FencedError after `close`
   */
  flush(): Promise<void>;
  /** Discards unstored events and records nothing more: the run was fenced or has ended. */
  close(): void;
};

export type EventLogOptions = {
  access: JetStreamAccess;
  tenant: string;
  runId: string;
  epoch: number;
  /** Its hash is stored with the events, so that an erasure finds them after the head of the run has expired. */
  resourceId?: string | undefined;
};

/** Maximum delay of an event for readers if the run makes no checkpoint. */
const GATHER_MS = 1_000;
const MAX_GATHERED_BYTES = 256 * 1024;
/** Size of the envelope of one event in its message, in bytes. */
const ENVELOPE_BYTES = 128;

export function createEventLog({ access, tenant, runId, epoch, resourceId }: EventLogOptions): EventLog {
  const { bus } = access;
  const owner = resourceId === undefined ? '' : `"owner":"${hashResource(tenant, resourceId)}",`;
  const subject = bus.subjects.events(SHARD, tenant, runId);
  const stored = createStoredQueue(access, tenant, runId);
  let gathered: string[] = [];
  let bytes = 0;
  let count = 0;
  let refused: { error: unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;

  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0) return;
    const payload = Buffer.from(`{"v":${COMMON_VERSION},${owner}"events":[${gathered.join(',')}]}`);
    stored.add({ subject, payload, msgID: `${tenant}.${runId}.${epoch}.${count++}` });
    gathered = [];
    bytes = 0;
  };
  const add = (body: EventBody) => {
    const event = JSON.stringify({ ...body, at: new Date().toISOString(), epoch });
    const size = Buffer.byteLength(event);
    if (size > bus.readMaxPayload() - ENVELOPE_BYTES) throw createEventTooLargeError(body.event, size);
    if (bytes + size > MAX_GATHERED_BYTES) send();
    gathered.push(event);
    bytes += size;
    timer ??= setTimeout(send, GATHER_MS);
  };
  return {
    record(body) {
      try {
        add(body);
      } catch (error) {
        refused ??= { error };
      }
    },
    async flush() {
      send();
      await stored.flush();
      const failed = refused;
      refused = undefined;
      if (failed) throw failed.error;
    },
    close() {
      clearTimeout(timer);
      stored.close();
    },
  };
}

function createEventTooLargeError(event: string, bytes: number): MillraceError {
  return new MillraceError('message-too-large', `A ${event} event of ${bytes} bytes exceeds the maximum message size.`);
}
