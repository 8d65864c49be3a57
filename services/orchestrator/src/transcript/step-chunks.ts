// Splits a run's chunks into those of its steps, and puts another answer among the chunks around it. Pure.
import type { Chunk, ChunkOf, Message } from '@millrace/contracts';
import { isFrame, makeMessageChunks, makeStepFinish } from './message-chunks.ts';

export type StepChunks = { messageId: string | undefined; chunks: readonly Chunk[] };

/** Splits the chunks by the message id that each step begins or ends with. */
export function splitSteps(chunks: readonly Chunk[]): StepChunks[] {
  const steps: { messageId: string | undefined; chunks: Chunk[] }[] = [];
  for (const one of chunks) {
    const last = steps.at(-1);
    const before = last?.chunks.at(-1);
    const isNext = one.type === 'step-start' || (before && isStepFinish(before) && !isStepFinish(one));
    if (!last || isNext) steps.push({ messageId: readPartId(one), chunks: [one] });
    else {
      last.messageId ??= readPartId(one);
      last.chunks.push(one);
    }
  }
  return steps;
}

function readPartId(one: Chunk): string | undefined {
  const id = one.type === 'step-start' || one.type === 'step-finish' ? one.payload['messageId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Returns the chunks of the answer, and the end of the step if the step has one. @param was its chunks so far */
export function makeStepChunks(runId: string, was: readonly Chunk[], message: Message | undefined): Chunk[] {
  const finish = was.find(isStepFinish);
  const made = message ? makeMessageChunks(runId, message) : [];
  return finish ? [...made, makeStepFinish(finish, message)] : made;
}

/** Puts the answer after the step's beginning, and its finish at the old position. */
export function putInPlace(chunks: readonly Chunk[], passed: readonly Chunk[]): Chunk[] {
  const finish = passed.filter(isStepFinish);
  const around = chunks.filter((one) => isFrame(one) && one.type !== 'step-start');
  return [
    ...chunks.filter((one) => one.type === 'step-start'),
    ...passed.filter((one) => !isStepFinish(one)),
    ...around.flatMap((one): readonly Chunk[] => (isStepFinish(one) ? finish : [one])),
  ];
}

export const isStepFinish = (one: Chunk): one is ChunkOf<'step-finish'> => one.type === 'step-finish';
