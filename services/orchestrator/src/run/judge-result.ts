// processOutputResult: what it changes of the response messages passes the output chain again, and so does the object that they say.
import {
  messageSchema,
  messageText,
  messagesOf,
  readJson,
  type EntryOutcome,
  type StageInput,
} from '@millrace/contracts';
import { z } from 'zod';
import { isSuspension, wholeRun, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, runText, type Finish } from './finish-chunks.ts';
import { passObject } from './judge-object.ts';
import { dropHeldObject, remakeReworded } from './remake-held.ts';
import { passFinish, type PassedFinish } from './pass-finish.ts';

/** `skipped`: entries that failed and may. */
export type JudgedResult = PassedFinish & { skipped?: EntryOutcome[] | undefined };

/** What its entries are told besides the conversation and the steps. */
export function resultInput(run: Run, finish: Finish): Omit<StageInput, 'conversation' | 'steps'> {
  const { steps, usage, retryCount, answered } = run.state();
  const finishReason = finish.payload.stepResult.reason;
  return { retryCount, stepNumber: steps.length - 1, text: runText(run), usage, finishReason, answered };
}

/** Of these entries alone. */
export async function judgeResult(run: Run, names: readonly string[], finish: Finish): Promise<JudgedResult> {
  if (names.length === 0) return { finish };
  const { conversation, steps } = run.state();
  const input = { ...resultInput(run, finish), conversation, steps };
  const order = { ...run.plan.order, processOutputResult: [...names] };
  const part: Run = { ...run, plan: { ...run.plan, order } };
  const { interrupt, skipped } = await runStage(part, 'processOutputResult', input);
  if (interrupt) {
    if (isSuspension(interrupt)) run.dispatch({ action: 'finish-passed', finish });
    return { interrupt };
  }
  if (saysAll(finish, run)) return { finish, skipped };
  const stopped = (await remakeReworded(run)) ?? (await passObjectAgain(run));
  return { ...(stopped ? { interrupt: stopped } : await passFinish(run, withFinalText(run, finish))), skipped };
}

const messagesSchema = z.array(messageSchema);
const written = (messages: unknown): string => JSON.stringify(messagesSchema.safeParse(messages).data);

/** What has passed is what the run says now. Compared whole: what was changed before the run was put away has not passed either. */
function saysAll({ payload }: Finish, run: Run): boolean {
  return written(payload.messages) === written(messagesOf(run.state().conversation, 'response'));
}

/** The object is that of the answer as it is now: none where this is gone, or no JSON any more. */
async function passObjectAgain(run: Run): Promise<Interrupt | undefined> {
  const { answer } = run.state().open ?? {};
  if (answer?.object === undefined) return undefined;
  const message = messagesOf(run.state().conversation, 'response').find(({ id }) => id === answer.message.id);
  const text = message ? messageText(message) : '';
  if (text === answer.text) return undefined;
  const rejected = wholeRun(run.state());
  if (run.agent.release === 'result') dropHeldObject(run, rejected.from);
  const object = readJson(text);
  const passed = object ? await passObject(run, object.value, rejected) : {};
  if ('interrupt' in passed) return passed.interrupt;
  run.dispatch({ action: 'object-passed', ...passed });
  return undefined;
}

/** What the stream's processors put into the finish stays; text and messages are what processOutputResult left. */
function withFinalText(run: Run, finish: Finish): Finish {
  const { messages } = finishChunk(run, finish.payload.stepResult.reason).payload;
  const { payload } = finish;
  return { ...finish, payload: { ...payload, messages, output: { ...payload.output, text: runText(run) } } };
}
