// The commands that orchestrators hold: delivered and not acknowledged. Another process can requeue one for an owner that has left: the server
// then delivers it at once, before new commands, instead of after the ack wait.
import { commandSchema } from '@millrace/contracts';
import type { ConsumerInfo } from '@nats-io/jetstream';
import { isCode } from '../streams/jetstream-errors.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { storeError } from '../streams/store-error.ts';
import { listCommandQueues } from './work-queue.ts';
import { decodeStored } from '../core/wire.ts';

export type InFlight = {
  tenant: string;
  runId: string;
  /** Stream sequence: the command's identity. */
  sequence: number;
  queue: string;
  /** Of the newest delivery of that consumer: the server accepts no acknowledgement above it. */
  delivered: number;
};

const MESSAGE_NOT_FOUND = 10037;
const CONSUMER_NOT_FOUND = 10014;
/** Of one consumer. Those above it are delivered again after the ack wait. */
const MAX_IN_FLIGHT = 10_000;

/** Reads only the delivered part of the queue, not the commands that wait. @throws bus-unreachable, store-unavailable */
export async function listInFlight(access: JetStreamAccess): Promise<InFlight[]> {
  const lists = await Promise.all(listCommandQueues(access.bus).map((queue) => listQueue(access, queue)));
  return lists.flat();
}

async function listQueue(access: JetStreamAccess, queue: string): Promise<InFlight[]> {
  const { jsm, bus } = access;
  const stream = bus.names.runs;
  const found: InFlight[] = [];
  try {
    const {
      ack_floor: floor,
      delivered,
      num_ack_pending,
      config,
    }: ConsumerInfo = await jsm.consumers.info(stream, queue);
    if (num_ack_pending === 0) return [];
    const filter = config.filter_subject ?? '>';
    for (let next = floor.stream_seq + 1; next <= delivered.stream_seq && found.length < MAX_IN_FLIGHT;) {
      const query = { seq: next, next_by_subj: filter };
      const message = await jsm.streams.getMessage(stream, query);
      if (!message || message.seq > delivered.stream_seq) break;
      next = message.seq + 1;
      const command = decodeStored(message.data, commandSchema, message.subject);
      if ('error' in command) continue;
      const { tenant, runId } = command.ok.request;
      found.push({ tenant, runId, sequence: message.seq, queue, delivered: delivered.consumer_seq });
    }
  } catch (error) {
    if (!isCode(error, MESSAGE_NOT_FOUND) && !isCode(error, CONSUMER_NOT_FOUND)) throw storeError(error, queue);
  }
  return found;
}

/**
 * Takes a command from the delivery that holds it. Call it once for each lost owner: a second call would take the command from its new owner.
 * Resolves when the server has received it.
 */
export async function requeue({ bus }: JetStreamAccess, commands: readonly InFlight[]): Promise<void> {
  const now = Date.now() * NS_PER_MS;
  for (const { queue, sequence, delivered } of commands)
    bus.nc.publish(`$JS.ACK.${bus.names.runs}.${queue}.1.${sequence}.${delivered}.${now}.0`, '-NAK');
  await bus.nc.flush();
}
const NS_PER_MS = 1_000_000;
