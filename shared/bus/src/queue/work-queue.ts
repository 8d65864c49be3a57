// Pulls commands from the shards of the command queue: a loop for each shard, each with its own consumer. A pull
// requests as many commands as the caller has capacity for; the others remain in the stream, and other orchestrators
// can pull them.
import type { Command } from '@millrace/contracts';
import {
  RUN_SHARDS,
  anyCommandSchema,
  commandSchema,
  isKnownCommand,
  timings,
  type MillraceError,
} from '@millrace/contracts';
import type { JsMsg } from '@nats-io/jetstream';
import type { Bus } from '../core/bus.ts';
import { consumeEach } from './consume-each.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { decode, decodeStored } from '../core/wire.ts';

export type Delivery<C extends Command = Command> = {
  command: C;
  /** Stream sequence: the command's identity. */
  sequence: number;
  /** The consumer that delivered it: that of its shard. */
  queue: string;
  /** Resolves when the server has the ack. A fenced owner must not call it. */
  acknowledge(): Promise<void>;
  /** Restarts the ack wait, after which the server delivers the command to another orchestrator. */
  extend(): void;
  /** Hands the command to another orchestrator. */
  handOver(): void;
  /** Has the command delivered again, here or to another orchestrator, no sooner than after this time. */
  putOff(ms: number): void;
};

export type CommandTaker = {
  /** Resolves with the number of commands that the next pull from this consumer asks for, 1 or more; absent: 1. */
  awaitRoom?(queue: string): Promise<number>;
  /** The next command of that consumer is handed over when it resolves. */
  take(delivery: Delivery): Promise<void> | void;
  /** Reports a message that is no command, once: it is removed from the queue, or left to orchestrators of a newer version. */
  refuse(error: MillraceError, subject: string): void;
};

/** The consumers of the command queue: one for each shard, and one for commands of versions without shards. */
export const listCommandQueues = ({ names }: Pick<Bus, 'names'>): string[] => [
  names.worker(),
  ...Array.from({ length: RUN_SHARDS }, (_, shard) => names.worker(shard)),
];

/** Hands over the commands of all shards until the signal fires. */
export async function consumeCommands(
  access: JetStreamAccess,
  taker: CommandTaker,
  signal: AbortSignal,
): Promise<void> {
  const { bus } = access;
  const consume = (queue: string) => {
    const consumed = {
      stream: bus.names.runs,
      durable: queue,
      trouble: 'reading the command queue failed',
      ...(taker.awaitRoom && { awaitRoom: () => taker.awaitRoom?.(queue) ?? Promise.resolve(1) }),
    };
    return consumeEach(access, consumed, (message) => hand(access, message, queue, taker), signal);
  };
  await Promise.all(listCommandQueues(bus).map(consume));
}

async function hand(access: JetStreamAccess, message: JsMsg, queue: string, taker: CommandTaker): Promise<void> {
  const command = decodeStored(message.data, commandSchema, message.subject);
  if ('ok' in command) return taker.take(createDelivery(message, queue, command.ok));
  const { error } = command;
  const isFirst = !message.redelivered;
  if (isFirst) taker.refuse(error, message.subject);
  if (isOfNewer(message, error, access.clock.now())) return message.nak(timings.newerVersionMs);
  message.term(error.message);
}

/** Of the deadline: a command that no version has begun by then is removed. ms */
const OVERDUE_MS = 60_000;

/** Whether a newer version may begin the command: it is marked as newer, or of a kind that is unknown here, and its deadline has not passed. */
function isOfNewer(message: JsMsg, { code }: MillraceError, now: number): boolean {
  const any = decode(message.data, anyCommandSchema, message.subject);
  if ('error' in any) return false;
  const { command, submittedAt, request } = any.ok;
  const isNewer = code === 'stored-by-newer' || !isKnownCommand(command);
  return isNewer && now < submittedAt + request.deadlineMs + OVERDUE_MS;
}

function createDelivery(message: JsMsg, queue: string, command: Command): Delivery {
  return {
    command,
    sequence: message.seq,
    queue,
    acknowledge: async () => void (await message.ackAck()),
    extend: () => message.working(),
    handOver: () => message.nak(),
    putOff: (ms) => message.nak(ms),
  };
}
