// How a run ends: a table of its forms. Each says what is still published before the last chunk, what the last chunk is, and what
// status and result are kept. (A sixth form, suspension, comes with its issue.)
import {
  messagesOf,
  publicViolations,
  type Chunk,
  type ErrorCode,
  type RunResult,
  type RunStatus,
  type Usage,
  type WireError,
} from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { retract } from '../stages/retract.ts';
import { haltedMessages, saveHalt } from './halted-answer.ts';
import type { Ending, Rejected } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, runText } from './finish-run.ts';
import { streamInput } from '../stages/send-chunks.ts';

export type Ended = { status: RunStatus; lastChunk: Chunk; result: RunResult };

type Form = Ending['form'];
type Table = { [F in Form]: (run: Run, ending: Extract<Ending, { form: F }>) => Promise<Ended> | Ended };

const forms: Table = {
  finish(run, { finish }) {
    const object = run.state().open?.answer?.object;
    const outcome = { text: runText(run), finishReason: finish.payload.stepResult.reason };
    return ended(run, 'finished', finish, { ...outcome, ...(object !== undefined && { object: asJson(object) }) });
  },

  async halt(run, { response, rejected, processorId, answered }) {
    takeBack(run, rejected);
    const { runId } = run.ref;
    const id = `halt-${processorId}`;
    // The text of a halt does not pass the guards.
    run.chunks.publish([
      chunk(runId, { type: 'text-start', payload: { id } }),
      chunk(runId, { type: 'text-delta', payload: { id, text: response } }),
      chunk(runId, { type: 'text-end', payload: { id } }),
    ]);
    run.dispatch({ action: 'messages-changed', ops: haltedMessages(run, response, rejected) });
    // No further stage runs but memory's save, and that only where a model has answered. Source: semantics.md, section 3.
    if (answered) await saveHalt(run, response);
    const finish = finishChunk(run, 'halted');
    const payload = { ...finish.payload, output: { ...finish.payload.output, text: response } };
    const steps = acceptedSteps(run, rejected);
    return ended(run, 'finished', { ...finish, payload }, { text: response, steps, finishReason: 'halted' });
  },

  tripwire(run, { tripwire, rejected }) {
    takeBack(run, rejected);
    const last = chunk(run.ref.runId, { type: 'tripwire', payload: tripwire });
    const steps = acceptedSteps(run, rejected);
    return ended(run, 'aborted', last, { text: '', messages: [], steps, finishReason: 'other', tripwire });
  },

  async error(run, { error, rejected, chainBroken }) {
    takeBack(run, rejected);
    const shown = await guardedError(run, error, chainBroken === true);
    const last = chunk(run.ref.runId, { type: 'error', payload: { error: shown } });
    const steps = acceptedSteps(run, rejected);
    return ended(run, 'failed', last, { text: '', messages: [], steps, finishReason: 'error', error: shown });
  },

  cancel(run) {
    const last = chunk(run.ref.runId, { type: 'abort', payload: { reason: 'cancelled' } });
    return ended(run, 'cancelled', last, { text: runText(run), finishReason: 'other' });
  },
};

function takeBack(run: Run, rejected: Rejected | undefined): void {
  if (rejected) retract(run, rejected.from);
}

/** Rejected text is in no result: what the last stage rejects is all of it. Source: semantics.md, section 6, point 3. */
function acceptedSteps(run: Run, rejected: Rejected | undefined): RunResult['steps'] {
  return rejected?.what === 'run' ? [] : run.state().steps;
}

export async function endRun(run: Run, ending: Ending): Promise<Ended> {
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

type Outcome = Pick<RunResult, 'text' | 'finishReason'> &
  Partial<Pick<RunResult, 'messages' | 'steps' | 'object' | 'tripwire' | 'error'>>;

function ended(run: Run, status: RunStatus, lastChunk: Chunk, outcome: Outcome): Ended {
  const { usage, steps, violations, conversation } = run.state();
  const { runId } = run.ref;
  const messages = messagesOf(conversation, 'response');
  const told = { usage, messages, steps, violations: publicViolations(violations) };
  return { status, lastChunk, result: { runId, status, ...told, ...outcome } };
}

function asJson(value: unknown): NonNullable<RunResult['object']> {
  return JSON.parse(JSON.stringify(value));
}

/** Codes whose messages may hold words of a provider or of a processor's exception: those pass the guards like any text. */
const FOREIGN_WORDS: readonly ErrorCode[] = ['model-call-failed', 'processor-failed', 'internal'];

/** Where the guards cannot be asked, foreign words stay here: what is left names the place and the code. */
async function guardedError(run: Run, error: WireError, chainBroken: boolean): Promise<WireError> {
  if (!FOREIGN_WORDS.includes(error.code)) return error;
  const message = chainBroken ? undefined : await guardedMessage(run, error);
  return message === undefined ? withoutForeignWords(error) : { ...error, message };
}

async function guardedMessage(run: Run, error: WireError): Promise<string | undefined> {
  const whole = chunk(run.ref.runId, { type: 'error', payload: { error } });
  const passed = await run.inTurn(() => guardChunks(run, [whole], streamInput(run)));
  const last = passed.chunks.findLast((part) => part.type === 'error');
  const inner = last?.type === 'error' && !passed.interrupt ? last.payload.error : undefined;
  const message = typeof inner === 'object' && inner !== null && 'message' in inner ? inner['message'] : undefined;
  return typeof message === 'string' ? message : undefined;
}

/** What may be shown of an error that no guard has seen. The run's events have all of it. */
export function withoutForeignWords(error: WireError): WireError {
  if (!FOREIGN_WORDS.includes(error.code)) return error;
  return { ...error, message: `The run failed at ${error.path ?? 'the model call'} (${error.code}).` };
}

/** The ending of a run of which nothing can be said but why: it never started, its owner was lost, its result cannot be stored. */
export function failedRun(runId: string, error: WireError, usage: Usage = {}): Ended {
  const lastChunk = chunk(runId, { type: 'error', payload: { error } });
  const result = {
    runId,
    status: 'failed' as const,
    text: '',
    finishReason: 'error',
    usage,
    messages: [],
    steps: [],
    violations: [],
    error,
  };
  return { status: 'failed', lastChunk, result };
}
