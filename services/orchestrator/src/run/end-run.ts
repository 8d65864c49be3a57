// Ends a run, as a table of forms. Each form defines the chunks that are still published before the last one, the last
// chunk, and the stored status and result.
import {
  readMessageText,
  toPublicViolations,
  type Chunk,
  type RunEnd,
  type RunResult,
  type RunStatus,
} from '@millrace/contracts';
import { createFailedRun } from '../state/failed-run.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { listInput } from '../state/run-state.ts';
import { withdrawStored } from '../transcript/store-before-retract.ts';
import { haltRun } from './halt-run.ts';
import { isEnding, toBrokenEnding, type Ending, type RejectedChunks } from '../state/interrupt.ts';
import { passError, passTripwire, omitUntrustedText } from './guard-own-texts.ts';
import type { Run } from '../state/run-context.ts';
import { saveStopped } from './save-stopped.ts';
import { restateRun } from '../transcript/restate-run.ts';
import { listShownMessages, listShownSteps } from '../transcript/shown-steps.ts';

type EndForm = Ending['form'];
type EndTable = { [F in EndForm]: (run: Run, ending: Extract<Ending, { form: F }>) => Promise<RunEnd> | RunEnd };

const forms: EndTable = {
  async finish(run, ending) {
    await restateRun(run, ending);
    const { finish, unsaved } = ending;
    const object = run.getState().open?.answer?.object;
    run.transcript.release();
    const { output, stepResult } = finish.payload;
    const text = typeof output['text'] === 'string' ? output['text'] : '';
    const outcome = { text, finishReason: stepResult.reason, ...nameUnsaved(unsaved) };
    return makeEnded(run, 'finished', finish, { ...outcome, ...(object !== undefined && { object: asJson(object) }) });
  },

  async halt(run, ending) {
    await takeBack(run, ending);
    const { finish, text, unsaved } = await haltRun(run, ending);
    // A halt that was stopped in between is not reported as a good end.
    const stopped = run.checkInterruption();
    if (stopped && isEnding(stopped)) return endRun(run, stopped);
    run.transcript.release();
    return makeEnded(run, 'finished', finish, { text, finishReason: 'halted', ...nameUnsaved(unsaved) });
  },

  async tripwire(run, ending) {
    const { tripwire: given, rejected } = ending;
    await takeBack(run, ending);
    const tripwire = await passTripwire(run, given);
    const last = makeChunk(run.ref.runId, { type: 'tripwire', payload: tripwire });
    const steps = selectAcceptedSteps(run, rejected);
    return makeEnded(run, 'aborted', last, { text: '', messages: [], steps, finishReason: 'other', tripwire });
  },

  async error(run, ending) {
    const { error: given, ownWords, rejected, chainBroken } = ending;
    await takeBack(run, ending);
    const error = ownWords ? given : await passError(run, given, chainBroken === true);
    const unsaved = rejected?.what === 'run' ? [] : await saveStopped(run, { isFailed: true });
    const last = makeChunk(run.ref.runId, { type: 'error', payload: { error } });
    const steps = selectAcceptedSteps(run, rejected);
    const outcome = { text: '', messages: [], steps, finishReason: 'error' as const, error, ...nameUnsaved(unsaved) };
    return makeEnded(run, 'failed', last, outcome);
  },

  async cancel(run) {
    const text = listShownMessages(run).map(readMessageText).join('');
    const unsaved = await saveStopped(run, { isFailed: false });
    const last = makeChunk(run.ref.runId, { type: 'abort', payload: { reason: 'cancelled' } });
    return makeEnded(run, 'cancelled', last, { text, finishReason: 'other', ...nameUnsaved(unsaved) });
  },
};

const nameUnsaved = (unsaved: readonly string[] = []) => (unsaved.length === 0 ? {} : { unsaved: [...unsaved] });

type RejectingEnd = Exclude<Ending, { form: 'finish' | 'cancel' }>;

/**
 * Stores the rejection before the retract: the next owner must not reach another ending after readers have dropped the
 * chunks.
 */
async function takeBack(run: Run, { rejected, ...ending }: RejectingEnd): Promise<void> {
  if (!rejected) return;
  if (run.getState().rejection) return run.transcript.withdraw(rejected.from);
  const record = () => run.dispatch({ action: 'rejected', ending: { ...ending, rejected } });
  await withdrawStored(run, rejected.from, record);
}

/** Rejected text is in no result: the last stage rejects everything. */
function selectAcceptedSteps(run: Run, rejected: RejectedChunks | undefined): RunResult['steps'] {
  return rejected?.what === 'run' ? [] : listShownSteps(run);
}

export async function endRun(run: Run, ending: Ending): Promise<RunEnd> {
  switch (ending.form) {
    case 'finish':
      return forms.finish(run, ending);
    case 'halt':
      return forms.halt(run, ending);
    case 'tripwire':
      return forms.tripwire(run, ending);
    case 'error':
      return forms.error(run, ending);
    case 'cancel':
      return forms.cancel(run, ending);
  }
}

/** Returns the result of a suspended run so far. */
export function buildResultSoFar(run: Run): RunResult {
  const text = listShownMessages(run).map(readMessageText).join('');
  return buildResult(run, 'suspended', { text, finishReason: 'other' });
}

type EndOutcome = Pick<RunResult, 'text' | 'finishReason'> &
  Partial<Pick<RunResult, 'messages' | 'steps' | 'object' | 'tripwire' | 'error' | 'unsaved'>>;

function makeEnded(run: Run, status: RunStatus, lastChunk: Chunk, outcome: EndOutcome): RunEnd {
  const end = { lastChunk, result: buildResult(run, status, outcome) };
  const hasInput = status === 'finished' && run.ref.threadId !== undefined;
  return hasInput ? { ...end, input: listInput(run.getState()) } : end;
}

function buildResult(run: Run, status: RunStatus, outcome: EndOutcome): RunResult {
  const { usage, violations } = run.getState();
  const { runId } = run.ref;
  const isOver = status === 'finished';
  const messages = listShownMessages(run, isOver);
  const details = { usage, messages, steps: listShownSteps(run, isOver), violations: toPublicViolations(violations) };
  return { runId, status, ...details, ...outcome };
}

function asJson(value: unknown): NonNullable<RunResult['object']> {
  return JSON.parse(JSON.stringify(value));
}

/** Ends a run with a broken ending: without an ending its command would be redelivered for ever. */
export function endBroken(run: Run, error: unknown): RunEnd {
  return createFailedRun(run.ref.runId, omitUntrustedText(toBrokenEnding(error).error), run.getState().usage);
}
