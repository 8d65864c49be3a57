// The command queue, pulled one command per free slot: what an orchestrator cannot start now stays where others can take it.
import type { Command } from '@millrace/contracts';
import { commandSchema, type MillraceError } from '@millrace/contracts';
import type { JsMsg } from '@nats-io/jetstream';
import { consumeEach } from './consume-each.ts';
import type { JetStreamAccess } from './jetstream-access.ts';
import { decode } from './wire.ts';

export type Delivery<C extends Command = Command> = {
  command: C;
  /** Stream sequence: the command's identity. */
  sequence: number;
  /** Resolves when the server has it. Not to be called by an owner that was fenced. */
  acknowledge(): Promise<void>;
  /** Tells the server that the command is still being worked on. */
  extend(): void;
  /** Hands the command to another orchestrator. */
  handOver(): void;
  /** It comes again no sooner than in so long, here or at another one. */
  putOff(ms: number): void;
};

/**
 * Calls `take` with one command after the other; it resolves when there is room for the next. What is not a command is
 * reported and removed from the queue, as it would never become one.
 */
export async function consumeCommands(
  access: JetStreamAccess,
  take: (delivery: Delivery) => Promise<void>,
  refuse: (error: MillraceError, subject: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { runs: stream, worker: durable } = access.bus.names;
  const handle = async (message: JsMsg) => {
    const command = decode(message.data, commandSchema, message.subject);
    if ('ok' in command) return take(delivery(message, command.ok));
    refuse(command.error, message.subject);
    message.term(command.error.message);
  };
  await consumeEach(access, { stream, durable, trouble: 'the command queue cannot be read' }, handle, signal);
}

function delivery(message: JsMsg, command: Command): Delivery {
  return {
    command,
    sequence: message.seq,
    acknowledge: async () => void (await message.ackAck()),
    extend: () => message.working(),
    handOver: () => message.nak(),
    putOff: (ms) => message.nak(ms),
  };
}
