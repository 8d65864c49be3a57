// Passes a run's last chunk through the output chain without publishing it. Its messages, as they passed, are the run's
// result.
import { messageSchema, selectMessages, type Chunk, type Message } from '@millrace/contracts';
import { z } from 'zod';
import { guardChunks, publishOutside } from '../sessions/guard-chunks.ts';
import { fail, addRejected, rejectWholeRun, type Interrupt } from '../state/interrupt.ts';
import { labelChanged } from '../state/run-labels.ts';
import type { Run } from '../state/run-context.ts';
import type { FinishChunk } from '../transcript/finish-chunks.ts';

export type PassedFinish = { finish: FinishChunk } | { interrupt: Interrupt };

/** @param first chunks that are published before it */
export async function guardFinishChunk(
  run: Run,
  whole: FinishChunk,
  first: readonly Chunk[] = [],
): Promise<PassedFinish> {
  return run.serialize(async () => {
    const { chunks, interrupt } = await guardChunks(run, [...first, whole]);
    const stopped = run.checkInterruption();
    if (stopped) return { interrupt: stopped };
    // The finish repeats the run's whole text.
    if (interrupt) return { interrupt: addRejected(interrupt, rejectWholeRun(run.getState())) };
    return takeFinish(run, chunks, whole);
  });
}

/**
 * Publishes the chunks that passed, except the finish. @param whole the finish before the chain: if it is unchanged,
 * its messages are too
 */
export function takeFinish(run: Run, chunks: readonly Chunk[], whole?: FinishChunk): PassedFinish {
  const finish = chunks.findLast(isFinish);
  const messages = messagesSchema.safeParse(finish?.payload.messages);
  if (!finish || !messages.success)
    return { interrupt: fail(finishLost, { chainBroken: true, rejected: rejectWholeRun(run.getState()) }) };
  if (finish !== whole) takeMessages(run, messages.data);
  run.dispatch({ action: 'messages-passed' });
  publishOutside(
    run,
    chunks.filter((part) => !isFinish(part)),
  );
  return { finish };
}

const messagesSchema = z.array(messageSchema);
const finishLost = {
  code: 'processor-failed' as const,
  message: 'The output processors returned no finish, or one with messages that do not match their schema.',
  path: 'processOutputStream',
};

/** Replaces the run's messages by those that passed. */
function takeMessages(run: Run, passed: readonly Message[]): void {
  const { conversation } = run.getState();
  const own = selectMessages(conversation, 'response');
  const others = new Set(selectMessages(conversation, 'input', 'remembered', 'context').map(({ id }) => id));
  const there = new Map(own.map((message) => [message.id, message]));
  const left = new Set(passed.map(({ id }) => id));
  const changed = passed.filter(
    (message) => !others.has(message.id) && JSON.stringify(there.get(message.id)) !== JSON.stringify(message),
  );
  const removed = own.flatMap(({ id }) => (left.has(id) ? [] : [id]));
  if (changed.length === 0 && removed.length === 0) return;
  const ops = changed.map((message) => ({
    op: 'add' as const,
    source: 'response' as const,
    message: labelChanged(run.getState(), message, there.get(message.id)),
  }));
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: removed }, ...ops] });
}

function isFinish(part: Chunk): part is FinishChunk {
  return part.type === 'finish';
}
