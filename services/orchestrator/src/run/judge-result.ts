// processOutputResult: what it changes of the response messages passes the output chain again.
import { messagesOf, type Conversation, type EntryOutcome, type StageInput } from '@millrace/contracts';
import { isSuspension } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, runText, type Finish } from './finish-chunks.ts';
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
  const left = run.state().conversation;
  if (left === conversation || responsesOf(left) === responsesOf(conversation)) return { finish, skipped };
  return { ...(await passFinish(run, withFinalText(run, finish))), skipped };
}

const responsesOf = (conversation: Conversation): string => JSON.stringify(messagesOf(conversation, 'response'));

/** What the stream's processors put into the finish stays; text and messages are what processOutputResult left. */
function withFinalText(run: Run, finish: Finish): Finish {
  const { messages } = finishChunk(run, finish.payload.stepResult.reason).payload;
  const { payload } = finish;
  return { ...finish, payload: { ...payload, messages, output: { ...payload.output, text: runText(run) } } };
}
