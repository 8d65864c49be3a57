// Rebuilds the buffered chunks of an unpublished answer that processors have changed, and passes them through the
// output chain, so that clients see the changed answer only.
import { selectMessages, type Chunk, type Message, type RunHead } from '@millrace/contracts';
import { guardChunks } from '../sessions/guard-chunks.ts';
import { rejecting, wholeRun, type Interrupt, type Rejected } from '../state/interrupt.ts';
import { responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { isFrame, messageChunks, makeStepFinish } from './message-chunks.ts';
import { getOwner } from '../state/run-head.ts';

export type Reworded = {
  /** Place of the first chunk of these answers. */
  from: number;
  /** All answers from there on in their current form, in order. */
  now: readonly Message[];
  /** Ids of the changed and the removed ones. */
  changed: ReadonlySet<string>;
  /** The chunks that are rejected if a processor of the output stream stops there. */
  rejected: Rejected;
};

/**
 * Rebuilds the answers of a completely buffered run that have not passed the output chain in their current form,
 * regardless of the entry and the stage that changed them.
 */
export async function remakeReworded(run: Run): Promise<Interrupt | undefined> {
  if (run.agent.release !== 'result') return undefined;
  const said = new Set(saidIds(run));
  const now = selectMessages(run.state().conversation, 'response').filter(({ id }) => said.has(id));
  const rejected = wholeRun(run.state());
  return rebuildBuffered(run, { from: rejected.from, now, changed: rewordedIds(run), rejected });
}

/** Returns the changed and removed answers of closed steps. Messages that processors added belong to no step. */
export function rewordedIds(run: Run): Set<string> {
  const { conversation, unpassed } = run.state();
  const there = new Set(selectMessages(conversation, 'response').map(({ id }) => id));
  return new Set(saidIds(run).filter((id) => unpassed.includes(id) || !there.has(id)));
}

const saidIds = ({ ref: { runId }, state }: Run): string[] =>
  state().steps.map(({ stepNumber }) => responseMessageId(runId, stepNumber));

export async function rebuildBuffered(run: Run, reworded: Reworded): Promise<Interrupt | undefined> {
  const { from, changed, rejected } = reworded;
  if (changed.size === 0) return undefined;
  return run.serialize(async () => {
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

/** Drops the buffered object: a changed text has another object or none. */
export function dropHeldObject(run: Run, from: number): void {
  const waiting = run.chunks.waiting(from);
  const left = waiting.filter(({ type }) => type !== 'object-result');
  if (left.length === waiting.length) return;
  run.chunks.drop(from);
  run.chunks.publish(left);
}

type BufferedStep = { messageId: string | undefined; chunks: readonly Chunk[] };
/** `was`: its buffered chunks. */
type ToMake = { message: Message | undefined; was: readonly Chunk[] };

function stepsToMake(waiting: readonly Chunk[], { now, changed }: Reworded): (ToMake | Pick<BufferedStep, 'chunks'>)[] {
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
): Promise<{ chunks: readonly Chunk[] } | { interrupt: Interrupt }> {
  const finish = was.find((one) => one.type === 'step-finish');
  const made = message ? messageChunks(run.ref.runId, message) : [];
  const passed = await guardChunks(run, finish ? [...made, makeStepFinish(finish, message)] : made);
  return passed.interrupt ? { interrupt: passed.interrupt } : { chunks: putInPlace(was, passed.chunks) };
}

/** Splits the chunks by the message id that each step begins or ends with. */
function splitSteps(chunks: readonly Chunk[]): BufferedStep[] {
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

/** Puts the answer after the step's beginning, and its finish at the old position. */
function putInPlace(chunks: readonly Chunk[], passed: readonly Chunk[]): Chunk[] {
  const finish = passed.filter(isStepFinish);
  const around = chunks.filter((one) => isFrame(one) && one.type !== 'step-start');
  return [
    ...chunks.filter((one) => one.type === 'step-start'),
    ...passed.filter((one) => !isStepFinish(one)),
    ...around.flatMap((one) => (isStepFinish(one) ? finish : [one])),
  ];
}

const isStepFinish = (one: Chunk): boolean => one.type === 'step-finish';

/** Restores the chunks that the previous owner had buffered, at their new indices after the chunks of this owner. */
export function restoreBuffer(run: Run, head: RunHead): void {
  const { held, open } = run.state();
  // The index after the last released chunk: from there on, indices were places of buffered chunks.
  const { index } = getOwner(head);
  const moved = run.chunks.shownIndex() - index;
  run.chunks.restore(held);
  if (open && open.firstIndex > index && moved > 0) {
    run.dispatch({ action: 'step-moved', firstIndex: open.firstIndex + moved });
  }
}
