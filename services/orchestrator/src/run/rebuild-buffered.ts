// Rebuilds the buffered chunks of an unpublished answer that processors have changed, and passes them through the
// output chain, so that clients see the changed answer only.
import { readMessageText, withText, type Chunk, type Message } from '@millrace/contracts';
import { guardChunks, type GuardedChunks } from '../sessions/guard-chunks.ts';
import { addRejected, type Interrupt, type RejectedChunks } from '../state/interrupt.ts';
import { labelChanged } from '../state/run-labels.ts';
import { keepStored } from '../state/stored-texts.ts';
import type { Run } from '../state/run-context.ts';
import { guardAgain } from './guard-again.ts';
import { isFrame, joinText, makeMessageChunks, makeStepFinish } from '../transcript/message-chunks.ts';
import { isStepFinish, putInPlace, splitSteps, type StepChunks } from './step-chunks.ts';

export type RewordedAnswer = {
  /** Place of the first chunk of these answers. */
  from: number;
  /** All answers from there on in their current form, in order. */
  now: readonly Message[];
  /** Ids of the changed and the removed ones. */
  changed: ReadonlySet<string>;
  /** The chunks that are rejected if a processor of the output stream stops there. */
  rejected: RejectedChunks;
  /** Receives each answer with a text that the output chain has changed. */
  take(passed: Message): void;
};

/** Passes the answer on with the text that passed, if that is another one, and keeps the text that memory stores. */
export function takePassed(
  run: Run,
  message: Message,
  { chunks: passed, stored }: GuardedChunks,
  take: RewordedAnswer['take'],
): void {
  const text = joinText(passed);
  if (text !== readMessageText(message)) take(labelChanged(run.getState(), withText(message, text), message));
  if (stored) run.dispatch({ action: 'messages-changed', ops: [], ...keepStored(message, joinText(stored)) });
}

export async function rebuildBuffered(run: Run, reworded: RewordedAnswer): Promise<Interrupt | undefined> {
  const { from, changed, rejected } = reworded;
  if (changed.size === 0) return undefined;
  return run.serialize(async () => {
    const next: Chunk[] = [];
    for (const step of listStepsToMake(run.transcript.listBuffered(from), reworded)) {
      const remade = 'chunks' in step ? step : await remakeStep(run, step, reworded.take);
      const stopped = run.checkInterruption();
      if (stopped) return stopped;
      if ('interrupt' in remade) return addRejected(remade.interrupt, rejected);
      next.push(...remade.chunks);
    }
    run.transcript.replace(from, next);
    return undefined;
  });
}

/** Drops the buffered object: a changed text has another object or none. */
export function dropHeldObject(run: Run, from: number): void {
  const waiting = run.transcript.listBuffered(from);
  const left = waiting.filter(({ type }) => type !== 'object-result');
  if (left.length === waiting.length) return;
  run.transcript.replace(from, left);
}

/** `was`: its buffered chunks. */
type ToMake = { message: Message | undefined; was: readonly Chunk[] };

function listStepsToMake(
  waiting: readonly Chunk[],
  { now, changed }: RewordedAnswer,
): (ToMake | Pick<StepChunks, 'chunks'>)[] {
  const steps = splitSteps(waiting);
  const byId = new Map(steps.map(({ messageId, chunks }) => [messageId, chunks]));
  const messages = new Map(now.map((message) => [message.id, message]));
  if ([...changed].every((id) => byId.has(id)))
    return steps.map(({ messageId, chunks }) =>
      messageId !== undefined && changed.has(messageId)
        ? { message: messages.get(messageId), was: chunks }
        : { chunks },
    );
  // If the output stream's processors dropped the beginning of an answer, its text is in another's step: the steps
  // cannot be distinguished, and all are rebuilt.
  const unknown = steps.flatMap(({ messageId, chunks }) => (messageId === undefined ? chunks : []));
  const around = unknown.filter((one) => isFrame(one) && !isStepFinish(one));
  return [{ chunks: around }, ...now.map((message) => ({ message, was: byId.get(message.id) ?? [] }))];
}

async function remakeStep(
  run: Run,
  { message, was }: ToMake,
  take: RewordedAnswer['take'],
): Promise<{ chunks: readonly Chunk[] } | { interrupt: Interrupt }> {
  const finish = was.find((one) => one.type === 'step-finish');
  const made = message ? makeMessageChunks(run.ref.runId, message) : [];
  const again = finish ? [...made, makeStepFinish(finish, message)] : made;
  const passed = message ? await guardAgain(run, message.id, again) : await guardChunks(run, again);
  if (passed.interrupt) return { interrupt: passed.interrupt };
  let rebuilt = message;
  if (message) {
    takePassed(run, message, passed, (changed) => {
      rebuilt = changed;
      take(changed);
    });
  }
  // The end of the step repeats the text as its pieces passed.
  const chunks =
    rebuilt === message
      ? passed.chunks
      : passed.chunks.map((one) => (isStepFinish(one) ? makeStepFinish(one, rebuilt) : one));
  return { chunks: putInPlace(was, chunks) };
}
