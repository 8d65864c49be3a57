// The end of a run that a processor halted: its text is the answer. No stage runs any more, so memory is called here, and it alone.
import { entriesOf, messagesOf, textMessage, type StageInput } from '@millrace/contracts';
import { wholeRun, type Ending, type Rejected } from '../state/interrupt.ts';
import { callProcessors } from '../stages/call-processors.ts';
import { finishChunk, type Finish } from './finish-chunks.ts';
import { passFinish } from './pass-finish.ts';
import { behindOthers, putOff, unsavedOf } from './put-off.ts';
import { passAnswer } from './pass-texts.ts';
import { remakeReworded } from './remake-held.ts';
import { responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { shieldRun } from '../state/shield-run.ts';
import { SAVE_GRACE_MS } from './save-result.ts';
import { emptyFold, foldVerdict } from '../stages/verdict-fold.ts';

export type Halted = { finish: Finish; text: string; unsaved: string[] };

export async function haltRun(run: Run, ending: Extract<Ending, { form: 'halt' }>): Promise<Halted> {
  const { response, rejected, processorId, answered } = ending;
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: rejectedIds(run, rejected) }] });
  const isRemade = await remakeEarlier(run);
  const passed = await passAnswer(run, `halt-${processorId}`, response);
  const text = passed ?? '';
  const isShown = (await passEarlier(run)) && isRemade;
  const message = textMessage(`${run.ref.runId}.halt`, 'assistant', text);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  // Only where a model has answered, and nothing of what was rejected.
  const unsaved = answered && passed !== undefined && isShown ? await saveHalt(run, text) : [];
  const finish = finishChunk(run, 'halted');
  const { payload } = finish;
  return { finish: { ...finish, payload: { ...payload, output: { ...payload.output, text } } }, text, unsaved };
}

/** What the run has held back comes out as it is now. What is rejected of it is gone. */
async function remakeEarlier(run: Run): Promise<boolean> {
  if (!(await remakeReworded(run))) return true;
  run.chunks.drop(wholeRun(run.state()).from);
  removeAnswers(run);
  return false;
}

/** What the run had said before passes the output chain, as in every finish. What is rejected there is gone. */
async function passEarlier(run: Run): Promise<boolean> {
  const earlier = finishChunk(run, 'halted');
  if (earlier.payload.messages.length === 0) return true;
  const passed = await passFinish(run, earlier);
  if ('finish' in passed) return true;
  removeAnswers(run);
  return false;
}

function removeAnswers(run: Run): void {
  const ids = messagesOf(run.state().conversation, 'response').map(({ id }) => id);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids }] });
}

function rejectedIds(run: Run, rejected: Rejected | undefined): string[] {
  const { conversation, steps, open } = run.state();
  const all = messagesOf(conversation, 'response').map((message) => message.id);
  // The message of a step that is closed has the number before; one that is open has not been accepted, or is rejected.
  const openId = responseMessageId(run.ref.runId, steps.length);
  const isOpen = rejected !== undefined || open?.answer === undefined;
  if (rejected?.what === 'run') return all;
  return isOpen ? all.filter((id) => id === openId) : [];
}

/** Only the history: there is nothing to index or extract in words that no model said. Returns what will save later. */
async function saveHalt(run: Run, response: string): Promise<string[]> {
  const { steps, usage, conversation } = run.state();
  const stage = 'processOutputResult' as const;
  const said = {
    retryCount: 0,
    stepNumber: steps.length,
    text: response,
    usage,
    finishReason: 'halted',
    answered: true,
  };
  const input: StageInput = { ...said, steps, conversation };
  const savers = entriesOf(run.plan, stage).filter((entry) => entry.memory && entry.processor === 'message-history');
  const saved = { state: run.state(), input: said };
  const unsaved = behindOthers(
    run,
    savers.map(({ entry }) => entry),
  );
  const shield = shieldRun(run, { graceMs: SAVE_GRACE_MS });
  for (const saver of savers) {
    if (unsaved.some(({ entry }) => entry === saver.entry)) continue;
    const started = performance.now();
    const saving = callProcessors(shield.run, [saver], { stage, input, onData: () => undefined });
    const judged = await Array.fromAsync(saving);
    const { outcomes } = judged.reduce(foldVerdict, emptyFold(input));
    unsaved.push(...unsavedOf(run, outcomes));
    run.events.record({
      event: 'stage',
      stage,
      step: steps.length,
      ms: performance.now() - started,
      entries: outcomes,
    });
  }
  shield.release();
  return putOff(run, unsaved, saved);
}
