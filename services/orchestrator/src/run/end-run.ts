// How a run ends: a table of its forms. Each says what is still published before the last chunk, what the last chunk is, and what
// status and result are kept.
import {
  MillraceError,
  messageText,
  publicViolations,
  type Chunk,
  type RunResult,
  type RunStatus,
} from '@millrace/contracts';
import { failedRun, type EndedRun } from '../state/ended-run.ts';
import { FencedError } from '../state/fenced-error.ts';
import { chunk } from '../state/make-chunk.ts';
import { retract } from '../state/retract.ts';
import { haltRun } from './halt-run.ts';
import { brokenBy, type Ending, type Rejected } from '../state/interrupt.ts';
import { passError, passTripwire, withoutUntrustedText } from './pass-texts.ts';
import type { Run } from '../state/run-context.ts';
import { shownMessages, shownSteps } from './shown-steps.ts';

type Form = Ending['form'];
type Table = { [F in Form]: (run: Run, ending: Extract<Ending, { form: F }>) => Promise<EndedRun> | EndedRun };

const forms: Table = {
  finish(run, { finish, unsaved }) {
    const object = run.state().open?.answer?.object;
    run.chunks.release();
    const { output, stepResult } = finish.payload;
    const text = typeof output['text'] === 'string' ? output['text'] : '';
    const outcome = { text, finishReason: stepResult.reason, ...unsavedOf(unsaved) };
    return ended(run, 'finished', finish, { ...outcome, ...(object !== undefined && { object: asJson(object) }) });
  },

  async halt(run, ending) {
    await takeBack(run, ending);
    const { finish, text, unsaved } = await haltRun(run, ending);
    // What was stopped meanwhile is not said to have ended well.
    const stopped = run.interruption();
    if (stopped?.kind === 'end') return endRun(run, stopped.ending);
    run.chunks.release();
    return ended(run, 'finished', finish, { text, finishReason: 'halted', ...unsavedOf(unsaved) });
  },

  async tripwire(run, ending) {
    const { tripwire: said, rejected } = ending;
    await takeBack(run, ending);
    const tripwire = await passTripwire(run, said);
    const last = chunk(run.ref.runId, { type: 'tripwire', payload: tripwire });
    const steps = acceptedSteps(run, rejected);
    return ended(run, 'aborted', last, { text: '', messages: [], steps, finishReason: 'other', tripwire });
  },

  async error(run, ending) {
    const { error: said, ownWords, rejected, chainBroken } = ending;
    await takeBack(run, ending);
    const error = ownWords ? said : await passError(run, said, chainBroken === true);
    const last = chunk(run.ref.runId, { type: 'error', payload: { error } });
    const steps = acceptedSteps(run, rejected);
    return ended(run, 'failed', last, { text: '', messages: [], steps, finishReason: 'error', error });
  },

  cancel(run) {
    const last = chunk(run.ref.runId, { type: 'abort', payload: { reason: 'cancelled' } });
    return ended(run, 'cancelled', last, { text: shownMessages(run).map(messageText).join(''), finishReason: 'other' });
  },
};

const unsavedOf = (unsaved: readonly string[] = []) => (unsaved.length === 0 ? {} : { unsaved: [...unsaved] });

/** Where it cannot be written at all, the end is told all the same. @throws what another owner may do */
function unlessSomebodyElseMay(error: unknown): void {
  const isAway = MillraceError.isInstance(error) && error.code === 'bus-unreachable';
  if (isAway || error instanceof FencedError) throw error;
}

type Rejecting = Exclude<Ending, { form: 'finish' | 'cancel' }>;

/** Decided before it is told: the next owner must not come to another end where readers have dropped what was said. */
async function takeBack(run: Run, { rejected, ...ending }: Rejecting): Promise<void> {
  if (!rejected) return;
  run.chunks.drop(rejected.from);
  if (run.chunks.nextIndex() <= rejected.from) return;
  if (!run.state().rejection) {
    run.dispatch({ action: 'rejected', ending: { ...ending, rejected } });
    await run.checkpoint(rejected.from).catch(unlessSomebodyElseMay);
  }
  retract(run, rejected.from);
}

/** Rejected text is in no result: what the last stage rejects is all of it. */
function acceptedSteps(run: Run, rejected: Rejected | undefined): RunResult['steps'] {
  return rejected?.what === 'run' ? [] : shownSteps(run);
}

export async function endRun(run: Run, ending: Ending): Promise<EndedRun> {
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

/** What a run that is put away has said so far. */
export function resultSoFar(run: Run): RunResult {
  const text = shownMessages(run).map(messageText).join('');
  return resultOf(run, 'suspended', { text, finishReason: 'other' });
}

type Outcome = Pick<RunResult, 'text' | 'finishReason'> &
  Partial<Pick<RunResult, 'messages' | 'steps' | 'object' | 'tripwire' | 'error' | 'unsaved'>>;

function ended(run: Run, status: RunStatus, lastChunk: Chunk, outcome: Outcome): EndedRun {
  return { status, lastChunk, result: resultOf(run, status, outcome) };
}

function resultOf(run: Run, status: RunStatus, outcome: Outcome): RunResult {
  const { usage, violations } = run.state();
  const { runId } = run.ref;
  const isOver = status === 'finished';
  const messages = shownMessages(run, isOver);
  const told = { usage, messages, steps: shownSteps(run, isOver), violations: publicViolations(violations) };
  return { runId, status, ...told, ...outcome };
}

function asJson(value: unknown): NonNullable<RunResult['object']> {
  return JSON.parse(JSON.stringify(value));
}

/** An ending that breaks is an ending still: without one the command would come again for ever. */
export function endBroken(run: Run, error: unknown): EndedRun {
  return failedRun(run.ref.runId, withoutUntrustedText(brokenBy(error).error), run.state().usage);
}
