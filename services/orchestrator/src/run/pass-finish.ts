// A run's last chunk through the output chain, but not to the client yet. What the chain made of its messages is what the run has said.
import { messageSchema, messagesOf, type Chunk, type Message } from '@millrace/contracts';
import { z } from 'zod';
import { guardChunks } from '../stages/guard-chunks.ts';
import { fail, rejecting, wholeRun, type Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import type { Finish } from './finish-chunks.ts';

export type PassedFinish = { finish: Finish } | { interrupt: Interrupt };

/** @param first chunks that are published before it */
export async function passFinish(run: Run, whole: Finish, first: readonly Chunk[] = []): Promise<PassedFinish> {
  return run.inTurn(async () => {
    const { chunks, interrupt } = await guardChunks(run, [...first, whole]);
    const stopped = run.interruption();
    if (stopped) return { interrupt: stopped };
    // The finish says everything that the run has said.
    if (interrupt) return { interrupt: rejecting(interrupt, wholeRun(run.state())) };
    return takeFinish(run, chunks, whole);
  });
}

/** What has passed is published, but for the finish. @param whole the finish as it went in: unchanged, it says nothing new */
export function takeFinish(run: Run, chunks: readonly Chunk[], whole?: Finish): PassedFinish {
  const finish = chunks.findLast(isFinish);
  const messages = messagesSchema.safeParse(finish?.payload.messages);
  if (!finish || !messages.success)
    return { interrupt: fail(finishLost, { chainBroken: true, rejected: wholeRun(run.state()) }) };
  if (finish !== whole) takeMessages(run, messages.data);
  run.dispatch({ action: 'messages-passed' });
  run.chunks.publish(chunks.filter((part) => !isFinish(part)));
  return { finish };
}

const messagesSchema = z.array(messageSchema);
const finishLost = {
  code: 'processor-failed' as const,
  message: 'The output processors gave no finish back, or one whose messages do not fit their schema.',
  path: 'processOutputStream',
};

/** What was let through of the run's messages is what they are from here on. */
function takeMessages(run: Run, passed: readonly Message[]): void {
  const { conversation } = run.state();
  const own = messagesOf(conversation, 'response');
  const others = new Set(messagesOf(conversation, 'input', 'remembered', 'context').map(({ id }) => id));
  const there = new Map(own.map((message) => [message.id, JSON.stringify(message)]));
  const left = new Set(passed.map(({ id }) => id));
  const changed = passed.filter(
    (message) => !others.has(message.id) && there.get(message.id) !== JSON.stringify(message),
  );
  const gone = own.flatMap(({ id }) => (left.has(id) ? [] : [id]));
  if (changed.length === 0 && gone.length === 0) return;
  const ops = changed.map((message) => ({ op: 'add' as const, source: 'response' as const, message }));
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: gone }, ...ops] });
}

function isFinish(part: Chunk): part is Finish {
  return part.type === 'finish';
}
