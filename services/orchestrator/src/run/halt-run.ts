// Ends a run that a processor halted: its text is the answer. No stage runs any more; only memory's history is called
// here.
import { selectMessages, buildTextMessage } from '@millrace/contracts';
import type { Ending, RejectedChunks } from '../state/interrupt.ts';
import { makeFinishChunk, type FinishChunk } from '../transcript/finish-chunks.ts';
import { guardFinishChunk } from './guard-finish-chunk.ts';
import { passAnswer } from './guard-own-texts.ts';
import { passChanged } from './pass-answers.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { saveHistory } from '../saves/save-history.ts';

export type HaltedRun = { finish: FinishChunk; text: string; unsaved: string[] };

export async function haltRun(run: Run, ending: Extract<Ending, { form: 'halt' }>): Promise<HaltedRun> {
  const { response, rejected, processorId, answered } = ending;
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: listRejectedIds(run, rejected) }] });
  const isRemade = await remakeEarlier(run);
  const passed = await passAnswer(run, `halt-${processorId}`, response);
  const text = passed ?? '';
  const isShown = (await passEarlier(run)) && isRemade;
  const message = buildTextMessage(`${run.ref.runId}.halt`, 'assistant', text);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  // Saves only if a model has answered, and nothing that was rejected.
  const unsaved = answered && passed !== undefined && isShown ? await saveHalt(run, text) : [];
  const finish = makeFinishChunk(run, 'halted');
  const { payload } = finish;
  return { finish: { ...finish, payload: { ...payload, output: { ...payload.output, text } } }, text, unsaved };
}

/** Rebuilds the buffered chunks. Rejected ones are dropped. */
async function remakeEarlier(run: Run): Promise<boolean> {
  if (!(await passChanged(run))) return true;
  run.transcript.discard(run.transcript.locate('run'));
  removeAnswers(run);
  return false;
}

/** Passes the run's earlier text through the output chain, as in every finish. Rejected messages are removed. */
async function passEarlier(run: Run): Promise<boolean> {
  const earlier = makeFinishChunk(run, 'halted');
  if (earlier.payload.messages.length === 0) return true;
  const passed = await guardFinishChunk(run, earlier);
  if ('finish' in passed) return true;
  removeAnswers(run);
  return false;
}

function removeAnswers(run: Run): void {
  const ids = selectMessages(run.getState().conversation, 'response').map(({ id }) => id);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids }] });
}

function listRejectedIds(run: Run, rejected: RejectedChunks | undefined): string[] {
  const { conversation, steps, open } = run.getState();
  const all = selectMessages(conversation, 'response').map((message) => message.id);
  // The message of a closed step has the previous number; an open one is not accepted yet or is rejected.
  const openId = buildResponseMessageId(run.ref.runId, steps.length);
  const isOpen = rejected !== undefined || open?.answer === undefined;
  if (rejected?.what === 'run') return all;
  return isOpen ? all.filter((id) => id === openId) : [];
}

/** Calls only the history: a text that no model wrote has nothing to index or extract. Returns the deferred saves. */
function saveHalt(run: Run, response: string): Promise<string[]> {
  const { steps, usage } = run.getState();
  const answer = {
    retryCount: 0,
    stepNumber: steps.length,
    text: response,
    usage,
    finishReason: 'halted',
    answered: true,
  };
  return saveHistory(run, run.getState(), answer);
}
