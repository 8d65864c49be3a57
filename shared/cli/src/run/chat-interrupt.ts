// Ctrl-C in `millrace chat`: cancels the run under way; a second one leaves.
import type { Client } from '@millrace/client';
import { note, type CliIo } from '../command/cli-io.ts';
import { EXIT_CODES } from '../command/exit-codes.ts';

export type ChatInterrupt = {
  begin(runId: string): void;
  end(): void;
  /** A new line was read: the next Ctrl-C is a first one. */
  disarm(): void;
  stop(): void;
};

/** npm forwards a Ctrl-C that the terminal has sent to all processes, so the signal arrives twice. ms */
const SAME_INTERRUPT_MS = 200;

export function createChatInterrupt(io: CliIo, client: Client): ChatInterrupt {
  let runId: string | undefined;
  let isArmed = false;
  let interruptedAt = -Infinity;
  const stop = io.onInterrupt(() => {
    const now = performance.now();
    if (now - interruptedAt < SAME_INTERRUPT_MS) return;
    interruptedAt = now;
    if (isArmed) return io.leave(EXIT_CODES.interrupted.code);
    isArmed = true;
    if (runId === undefined) return note(io, '\n[chat] press Ctrl-C again to leave');
    note(io, '\n[chat] cancelling the run; press Ctrl-C again to leave');
    void client.runs.cancel(runId).catch(() => undefined);
  });
  return {
    begin: (id) => void (runId = id),
    end: () => void (runId = undefined),
    disarm() {
      isArmed = false;
      interruptedAt = -Infinity;
    },
    stop,
  };
}
