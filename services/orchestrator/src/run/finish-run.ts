// The end of a run that went well. `finish` passes the output stream's processors and is held; what they made of its messages is the
// conversation from there on, so that processOutputResult and memory see what was let through. What processOutputResult changes
// passes them again. Once memory saves, stopping the run is too late, for its next owner too: that it was judged is a checkpoint.
import { entriesOf, messageSchema, messagesOf, type Chunk, type Conversation, type Message } from '@millrace/contracts';
import { z } from 'zod';
import { guardChunks } from '../stages/guard-chunks.ts';
import { endWith, fail, isSuspension, rejecting, wholeRun, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, runText, stepFinish, type Finish } from './finish-chunks.ts';
import { shieldSave } from './shield-save.ts';

export type PassedFinish = { finish: Finish } | { interrupt: Interrupt };

export async function finishRun(run: Run): Promise<Interrupt> {
  const { finish } = run.state();
  const [before, saving] = resultEntries(run);
  const judged = finish ? { finish } : await judgeFinish(run, before);
  if ('interrupt' in judged) return judged.interrupt;
  const saved = saving.length > 0 ? await save(run, saving, judged.finish) : judged;
  return 'interrupt' in saved ? saved.interrupt : endWith({ form: 'finish', finish: saved.finish });
}

async function judgeFinish(run: Run, before: string[]): Promise<PassedFinish> {
  const passed = await firstFinish(run);
  return 'interrupt' in passed ? passed : judgeResult(run, before, passed.finish);
}

/** The checkpoint is written while memory saves: who is lost before it is there has at most saved what will be judged again. */
async function save(run: Run, saving: string[], finish: Finish): Promise<PassedFinish> {
  const isRepeated = run.state().finish !== undefined;
  const shield = shieldSave(run, isRepeated);
  if (!isRepeated) run.dispatch({ action: 'result-judged', finish });
  try {
    const [saved, stored] = await Promise.allSettled([judgeResult(shield.run, saving, finish), run.checkpoint()]);
    if (saved.status === 'rejected') throw saved.reason;
    // What the checkpoint says of a cancel comes too late; that it could not be written does not.
    if (stored.status === 'rejected') throw stored.reason;
    return saved.value;
  } finally {
    shield.release();
  }
}

/** Where processOutputResult has suspended, the finish has passed before. */
async function firstFinish(run: Run): Promise<PassedFinish> {
  const { passed, steps } = run.state();
  if (passed) return { finish: passed };
  const reason = steps.at(-1)?.finishReason ?? 'other';
  return passFinish(run, finishChunk(run, reason), [stepFinish(run)]);
}

/** The entries of processOutputResult before memory's first, and from that one on. */
function resultEntries({ plan }: Run): [string[], string[]] {
  const entries = entriesOf(plan, 'processOutputResult');
  const first = entries.findIndex(({ memory }) => memory);
  const names = entries.map(({ entry }) => entry);
  return first < 0 ? [names, []] : [names.slice(0, first), names.slice(first)];
}

async function judgeResult(run: Run, names: string[], finish: Finish): Promise<PassedFinish> {
  if (names.length === 0) return { finish };
  const { conversation, steps, usage, retryCount, answered } = run.state();
  const input = {
    retryCount,
    stepNumber: steps.length - 1,
    conversation,
    text: runText(run),
    usage,
    finishReason: finish.payload.stepResult.reason,
    steps,
    answered,
  };
  const order = { ...run.plan.order, processOutputResult: names };
  const part: Run = { ...run, plan: { ...run.plan, order } };
  const { interrupt } = await runStage(part, 'processOutputResult', input);
  if (interrupt) {
    if (isSuspension(interrupt)) run.dispatch({ action: 'finish-passed', finish });
    return { interrupt };
  }
  const left = run.state().conversation;
  if (left === conversation || responsesOf(left) === responsesOf(conversation)) return { finish };
  return passFinish(run, withFinalText(run, finish));
}

const responsesOf = (conversation: Conversation): string => JSON.stringify(messagesOf(conversation, 'response'));

/** What the stream's processors put into the finish stays; text and messages are what processOutputResult left. */
function withFinalText(run: Run, finish: Finish): Finish {
  const { messages } = finishChunk(run, finish.payload.stepResult.reason).payload;
  const { payload } = finish;
  return { ...finish, payload: { ...payload, messages, output: { ...payload.output, text: runText(run) } } };
}

/** Through the output chain, but not to the client yet. @param first chunks that are published before it */
export async function passFinish(run: Run, whole: Finish, first: readonly Chunk[] = []): Promise<PassedFinish> {
  return run.inTurn(async () => {
    const { chunks, interrupt } = await guardChunks(run, [...first, whole]);
    const stopped = run.interruption();
    if (stopped) return { interrupt: stopped };
    // The finish says everything that the run has said.
    if (interrupt) return { interrupt: rejecting(interrupt, wholeRun(run.state())) };
    const finish = chunks.findLast(isFinish);
    const messages = messagesSchema.safeParse(finish?.payload.messages);
    if (!finish || !messages.success)
      return { interrupt: fail(finishLost, { chainBroken: true, rejected: wholeRun(run.state()) }) };
    if (finish !== whole) takeMessages(run, messages.data);
    run.dispatch({ action: 'messages-passed' });
    run.chunks.publish(chunks.filter((part) => !isFinish(part)));
    return { finish };
  });
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
