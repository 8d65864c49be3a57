// An answer that nobody has seen yet, and that processors have worded anew: what waits for its release is made anew from it, and passes the
// output chain, so that clients see what the processors made of it and nothing else.
import { messagesOf, type Chunk, type Message } from '@millrace/contracts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { rejecting, wholeRun, type Interrupt, type Rejected } from '../state/interrupt.ts';
import { responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { isFrame, messageChunks, stepFinishOf } from './message-chunks.ts';

export type Reworded = {
  /** Place of the first chunk that may be of them. */
  from: number;
  /** All answers from there on as they are now, in order. */
  now: readonly Message[];
  /** Ids of those that are others now, or gone. */
  changed: ReadonlySet<string>;
  /** What a processor of the output stream rejects that stops at it. */
  rejected: Rejected;
};

/**
 * Of a run that is held as a whole: before it comes out, the answers that the output chain has not passed as they are now. Who worded them
 * anew, and when, does not matter.
 */
export async function remakeReworded(run: Run): Promise<Interrupt | undefined> {
  if (run.agent.release !== 'result') return undefined;
  const said = new Set(saidIds(run));
  const now = messagesOf(run.state().conversation, 'response').filter(({ id }) => said.has(id));
  const rejected = wholeRun(run.state());
  return remakeHeld(run, { from: rejected.from, now, changed: rewordedIds(run), rejected });
}

/** Of the answers of closed steps: those that are others now, or gone. What processors have added to them was never a step's. */
export function rewordedIds(run: Run): Set<string> {
  const { conversation, unpassed } = run.state();
  const there = new Set(messagesOf(conversation, 'response').map(({ id }) => id));
  return new Set(saidIds(run).filter((id) => unpassed.includes(id) || !there.has(id)));
}

const saidIds = ({ ref: { runId }, state }: Run): string[] =>
  state().steps.map(({ stepNumber }) => responseMessageId(runId, stepNumber));

export async function remakeHeld(run: Run, reworded: Reworded): Promise<Interrupt | undefined> {
  const { from, changed, rejected } = reworded;
  if (changed.size === 0) return undefined;
  return run.inTurn(async () => {
    const next: Chunk[] = [];
    for (const step of stepsToMake(run.chunks.waiting(from), reworded)) {
      const remade = 'chunks' in step ? step : await remakeStep(run, step);
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

/** The object is that of the words: with these it is another, or none. */
export function dropHeldObject(run: Run, from: number): void {
  const waiting = run.chunks.waiting(from);
  const left = waiting.filter(({ type }) => type !== 'object-result');
  if (left.length === waiting.length) return;
  run.chunks.drop(from);
  run.chunks.publish(left);
}

type Step = { messageId: string | undefined; chunks: readonly Chunk[] };
/** `was`: what waits of it. */
type ToMake = { message: Message | undefined; was: readonly Chunk[] };

function stepsToMake(waiting: readonly Chunk[], { now, changed }: Reworded): (ToMake | Pick<Step, 'chunks'>)[] {
  const steps = stepsOf(waiting);
  const byId = new Map(steps.map(({ messageId, chunks }) => [messageId, chunks]));
  const messages = new Map(now.map((message) => [message.id, message]));
  if ([...changed].every((id) => byId.has(id)))
    return steps.map(({ messageId, chunks }) =>
      messageId !== undefined && changed.has(messageId)
        ? { message: messages.get(messageId), was: chunks }
        : { chunks },
    );
  // Where the output stream's processors dropped the beginning of one of them, its words stand in another's step: nobody knows whose are whose.
  const unknown = steps.flatMap(({ messageId, chunks }) => (messageId === undefined ? chunks : []));
  const around = unknown.filter((one) => isFrame(one) && !isStepFinish(one));
  return [{ chunks: around }, ...now.map((message) => ({ message, was: byId.get(message.id) ?? [] }))];
}

async function remakeStep(
  run: Run,
  { message, was }: ToMake,
): Promise<{ chunks: readonly Chunk[] } | { interrupt: Interrupt }> {
  const finish = was.find((one) => one.type === 'step-finish');
  const made = message ? messageChunks(run.ref.runId, message) : [];
  const passed = await guardChunks(run, finish ? [...made, stepFinishOf(finish, message)] : made);
  return passed.interrupt ? { interrupt: passed.interrupt } : { chunks: inPlace(was, passed.chunks) };
}

/** By the id of the message that each of them begins, or ends, with. */
function stepsOf(chunks: readonly Chunk[]): Step[] {
  const steps: { messageId: string | undefined; chunks: Chunk[] }[] = [];
  for (const one of chunks) {
    const last = steps.at(-1);
    const before = last?.chunks.at(-1);
    const isNext = one.type === 'step-start' || (before && isStepFinish(before) && !isStepFinish(one));
    if (!last || isNext) steps.push({ messageId: idIn(one), chunks: [one] });
    else {
      last.messageId ??= idIn(one);
      last.chunks.push(one);
    }
  }
  return steps;
}

function idIn(one: Chunk): string | undefined {
  const id = one.type === 'step-start' || one.type === 'step-finish' ? one.payload['messageId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The answer behind the step's beginning, its finish where that was. */
function inPlace(chunks: readonly Chunk[], passed: readonly Chunk[]): Chunk[] {
  const finish = passed.filter(isStepFinish);
  const around = chunks.filter((one) => isFrame(one) && one.type !== 'step-start');
  return [
    ...chunks.filter((one) => one.type === 'step-start'),
    ...passed.filter((one) => !isStepFinish(one)),
    ...around.flatMap((one) => (isStepFinish(one) ? finish : [one])),
  ];
}

const isStepFinish = (one: Chunk): boolean => one.type === 'step-finish';
