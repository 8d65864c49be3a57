// The command queue, pulled one command per free slot: what an orchestrator cannot start now stays where others can take it.
import type { Command } from '@millrace/contracts';
import { commandSchema, type MillraceError } from '@millrace/contracts';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { setTimeout as delay } from 'node:timers/promises';
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

/** A pull that the server forgot in a restart is noticed no later than this. */
const PULL_EXPIRES_MS = 5_000;
export const RETRY_WAIT_MS = 500;

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
  const { bus, js } = access;
  let consumer: Consumer | undefined;
  while (!signal.aborted) {
    try {
      consumer ??= await js.consumers.get(bus.names.runs, bus.names.worker);
      const message = await pull(consumer, signal);
      if (!message) continue;
      const command = decode(message.data, commandSchema, message.subject);
      if ('ok' in command) await take(delivery(message, command.ok));
      else {
        refuse(command.error, message.subject);
        message.term(command.error.message);
      }
    } catch (error) {
      if (signal.aborted) return;
      consumer = undefined;
      bus.log.warn({ error: String(error) }, 'the command queue cannot be read; trying again');
      await delay(RETRY_WAIT_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** A pull that is given up is taken back, and what was on its way is handed back: others get it at once. */
export async function pull(consumer: Consumer, signal: AbortSignal): Promise<JsMsg | undefined> {
  const messages = await consumer.fetch({ max_messages: 1, expires: PULL_EXPIRES_MS });
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    for await (const message of messages) {
      if (!signal.aborted) return message;
      message.nak();
    }
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
  }
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
