// Passes answers through the output chain again: those that processors have changed, and the text of a halt.
import { readMessageText, withText, type Chunk, type Message } from '@millrace/contracts';
import { guardChunks, type GuardedChunks } from '../sessions/guard-chunks.ts';
import { addRejected, rejectWholeRun, type Interrupt, type RejectedChunks } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { labelChanged } from '../state/run-labels.ts';
import { keepStored } from '../state/stored-texts.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { joinText } from '../transcript/message-chunks.ts';
import { replaceAnswers, type PassAgain } from '../transcript/replace-answers.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';

/** Passes the answers that have not passed in their current form, regardless of the entry and the stage that changed them. */
export function passChanged(run: Run): Promise<Interrupt | undefined> {
  // The text passes once more with `finish`.
  const take = (message: Message) =>
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'replace', message }], unpassed: true });
  return replaceAnswers(run, createPassAgain(run, rejectWholeRun(run.getState()), take));
}

/**
 * @param rejected the chunks that are rejected if a processor of the output stream stops at an answer
 * @param take receives each answer with a text that the output chain has changed
 */
export function createPassAgain(
  run: Run,
  rejected: RejectedChunks,
  take: (message: Message) => void = () => undefined,
): PassAgain<Interrupt> {
  return async (again, message) => {
    const { chunks, interrupt, stored } = await guardAgain(run, message?.id, again);
    const stopped = run.checkInterruption() ?? (interrupt && addRejected(interrupt, rejected));
    if (stopped) return { interrupt: stopped };
    if (!message) return { chunks, message };
    const text = joinText(chunks);
    const isSame = text === readMessageText(message);
    const passed = isSame ? message : labelChanged(run.getState(), withText(message, text), message);
    if (!isSame) take(passed);
    if (stored) run.dispatch({ action: 'messages-changed', ops: [], ...keepStored(message, joinText(stored)) });
    return { chunks, message: passed };
  };
}

/**
 * Passes the chunks of an answer with its `step-start` before them: the chain has counted the first form, and each limit
 * begins its step again there, as for a step that is retried. The output of `step-start` is published already. A message
 * that a processor added belongs to no step: its chunks continue the last one.
 */
export async function guardAgain(
  run: Run,
  messageId: string | undefined,
  chunks: readonly Chunk[],
): Promise<GuardedChunks> {
  const { runId } = run.ref;
  const { steps } = run.getState();
  // The answer of the open step is not among the steps yet.
  const step = [...steps.keys(), steps.length].find((at) => buildResponseMessageId(runId, at) === messageId);
  if (step === undefined || chunks.length === 0) return guardChunks(run, chunks);
  const begun = await guardChunks(run, [makeChunk(runId, { type: 'step-start', payload: { messageId } })], step);
  return begun.interrupt ? begun : guardChunks(run, chunks, step);
}
