// An answer that nobody has seen yet, and that processors have worded anew: what waits for its release is made anew from it, and passes the
// output chain, so that clients see what the processors made of it and nothing else.
import type { Chunk, Message } from '@millrace/contracts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { rejecting, type Interrupt, type Rejected } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { isFrame, messageChunks, stepFinishOf } from './message-chunks.ts';

export type Reworded = {
  /** Place of the first chunk that may be of it. */
  from: number;
  /** The answers that are others now, by id; undefined: it is gone. */
  messages: ReadonlyMap<string, Message | undefined>;
  /** What a processor of the output stream rejects that stops at it. */
  rejected: Rejected;
};

/** Of an agent whose clients have seen the answer, nothing is taken back. */
export const holdsSteps = ({ agent: { release } }: Run): boolean => release === 'step' || release === 'result';

export async function remakeHeld(run: Run, { from, messages, rejected }: Reworded): Promise<Interrupt | undefined> {
  return run.inTurn(async () => {
    const steps = stepsOf(run.chunks.waiting(from));
    // Whose beginning the output stream's processors dropped comes last.
    const missing = [...messages.keys()].filter((id) => steps.every(({ messageId }) => messageId !== id));
    const next: Chunk[] = [];
    for (const step of [...steps, ...missing.map((messageId): Step => ({ messageId, chunks: [] }))]) {
      const remade = await remakeStep(run, step, messages);
      const stopped = run.interruption();
      if (stopped) return stopped;
      if ('interrupt' in remade) return rejecting(remade.interrupt, rejected);
      next.push(...remade.chunks);
    }
    run.chunks.drop(from);
    run.chunks.publish(next);
    return undefined;
  });
}

async function remakeStep(
  run: Run,
  { messageId, chunks }: Step,
  messages: Reworded['messages'],
): Promise<{ chunks: readonly Chunk[] } | { interrupt: Interrupt }> {
  // Nobody knows whose words it says.
  if (messageId === undefined) return { chunks: chunks.filter(isFrame) };
  if (!messages.has(messageId)) return { chunks };
  const message = messages.get(messageId);
  const finish = chunks.find((one) => one.type === 'step-finish');
  const made = message ? messageChunks(run.ref.runId, message) : [];
  const passed = await guardChunks(run, finish ? [...made, stepFinishOf(finish, message)] : made);
  return passed.interrupt ? { interrupt: passed.interrupt } : { chunks: inPlace(chunks, passed.chunks) };
}

type Step = { messageId: string | undefined; chunks: Chunk[] };

/** By the id of the message that each of them begins with. */
function stepsOf(chunks: readonly Chunk[]): Step[] {
  const steps: Step[] = [];
  for (const one of chunks) {
    const last = steps.at(-1);
    if (one.type === 'step-start' || !last)
      steps.push({ messageId: one.type === 'step-start' ? one.payload.messageId : undefined, chunks: [one] });
    else last.chunks.push(one);
  }
  return steps;
}

/** The answer behind the step's beginning, its finish where that was. */
function inPlace(chunks: readonly Chunk[], passed: readonly Chunk[]): Chunk[] {
  const [first, ...rest] = chunks;
  const finish = passed.filter(isStepFinish);
  return [
    ...(first ? [first] : []),
    ...passed.filter((one) => !isStepFinish(one)),
    ...rest.filter(isFrame).flatMap((one) => (isStepFinish(one) ? finish : [one])),
  ];
}

const isStepFinish = (one: Chunk): boolean => one.type === 'step-finish';
