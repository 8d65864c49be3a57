// How a run ends: a table of its forms. Each says what is still published before the last chunk, what the last chunk is, and what
// status and result are kept. (A sixth form, suspension, comes with its issue.)
import {
  entriesOf,
  messagesOf,
  type Chunk,
  type ErrorCode,
  type RunResult,
  type RunStatus,
  type WireError,
} from '@millrace/contracts';
import { chunk } from '../step/model-parts.ts';
import { passWhole } from '../step/whole-chunks.ts';
import { retract } from '../step/retract.ts';
import type { Ending } from './interrupt.ts';
import { callProcessors } from './processor-client.ts';
import { responseMessageId } from './response-message.ts';
import type { Run } from './run.ts';
import { finishChunk, runText } from './step-finish.ts';
import { streamInput } from '../step/outlet.ts';

export type Ended = { status: RunStatus; lastChunk: Chunk; result: RunResult };

type Form = Ending['form'];
type Table = { [F in Form]: (run: Run, ending: Extract<Ending, { form: F }>) => Promise<Ended> | Ended };

const forms: Table = {
  finish: (run, { finish }) =>
    ended(run, 'finished', finish, { text: runText(run), finishReason: finish.payload.stepResult.reason }),

  async halt(run, { response, retractFrom, processorId }) {
    if (retractFrom !== undefined) retract(run, retractFrom);
    const { runId } = run.ref;
    const id = `halt-${processorId}`;
    // The text of a halt does not pass the guards.
    run.chunks.publish([
      chunk(runId, { type: 'text-start', payload: { id } }),
      chunk(runId, { type: 'text-delta', payload: { id, text: response } }),
      chunk(runId, { type: 'text-end', payload: { id } }),
    ]);
    await saveHalt(run, response);
    const finish = finishChunk(run, 'halted');
    const payload = { ...finish.payload, output: { ...finish.payload.output, text: response } };
    return ended(run, 'finished', { ...finish, payload }, { text: response, finishReason: 'halted' });
  },

  tripwire(run, { tripwire, retractFrom }) {
    if (retractFrom !== undefined) retract(run, retractFrom);
    const last = chunk(run.ref.runId, { type: 'tripwire', payload: tripwire });
    return ended(run, 'aborted', last, { text: '', messages: [], finishReason: 'other', tripwire });
  },

  async error(run, { error, retractFrom, chainBroken }) {
    if (retractFrom !== undefined) retract(run, retractFrom);
    const shown = chainBroken ? error : await guardedError(run, error);
    const last = chunk(run.ref.runId, { type: 'error', payload: { error: shown } });
    return ended(run, 'failed', last, { text: '', messages: [], finishReason: 'error', error: shown });
  },

  cancel(run) {
    const last = chunk(run.ref.runId, { type: 'abort', payload: { reason: 'cancelled' } });
    return ended(run, 'cancelled', last, { text: runText(run), finishReason: 'other' });
  },
};

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

type Outcome = Pick<RunResult, 'text' | 'finishReason'> & Partial<Pick<RunResult, 'messages' | 'tripwire' | 'error'>>;

function ended(run: Run, status: RunStatus, lastChunk: Chunk, outcome: Outcome): Ended {
  const { usage, steps, violations, conversation, open } = run.state();
  const { runId } = run.ref;
  const object = status === 'finished' ? open?.answer?.object : undefined;
  const messages = messagesOf(conversation, 'response');
  const result: RunResult = { runId, status, usage, messages, steps, violations, ...outcome };
  return { status, lastChunk, result: object === undefined ? result : { ...result, object: asJson(object) } };
}

function asJson(value: unknown): NonNullable<RunResult['object']> {
  return JSON.parse(JSON.stringify(value));
}

/** No further stage runs but memory's save, and that only where a model has answered. Source: semantics.md, section 3, "halt". */
async function saveHalt(run: Run, response: string): Promise<void> {
  const { answered, steps, usage, open } = run.state();
  if (!answered) return;
  const rejected = open && !open.answer ? [responseMessageId(run.ref.runId, steps.length)] : [];
  const id = `${run.ref.runId}.halt`;
  const parts = [{ type: 'text' as const, text: response }];
  const message = {
    id,
    role: 'assistant' as const,
    createdAt: new Date().toISOString(),
    content: { format: 2 as const, parts },
  };
  run.dispatch({
    action: 'messages-changed',
    ops: [
      { op: 'remove', ids: rejected },
      { op: 'add', source: 'response', message },
    ],
  });
  const input = {
    retryCount: 0,
    stepNumber: steps.length,
    text: response,
    usage,
    finishReason: 'halted',
    steps,
    answered,
  };
  const savers = entriesOf(run.plan, 'processOutputResult').filter(
    (entry) => entry.memory && entry.processor === 'message-history',
  );
  for (const saver of savers) {
    const ask = {
      stage: 'processOutputResult' as const,
      input: { ...input, conversation: run.state().conversation },
      onData: () => undefined,
    };
    const judged = await callProcessors(run, [saver], ask);
    const entries = judged.map(({ entry, verdict, ms, attempts }) => ({
      entry: entry.entry,
      processor: entry.processor,
      verdict: verdict.type,
      ms,
      attempts,
    }));
    run.events.record({ event: 'stage', stage: 'processOutputResult', step: steps.length, ms: 0, entries });
  }
}

/** Codes whose messages may hold words of a provider or of a processor's exception: those pass the guards like any text. */
const FOREIGN_WORDS: readonly ErrorCode[] = ['model-call-failed', 'processor-failed', 'internal'];

/** Where the guards cannot be asked, foreign words stay here: what is left names the place and the code. */
async function guardedError(run: Run, error: WireError): Promise<WireError> {
  if (!FOREIGN_WORDS.includes(error.code)) return error;
  const whole = chunk(run.ref.runId, { type: 'error', payload: { error } });
  const passed = await run.inTurn(() => passWhole(run, [whole], streamInput(run)));
  const last = passed.chunks.findLast((part) => part.type === 'error');
  const inner = last?.type === 'error' && !passed.interrupt ? last.payload.error : undefined;
  const message = typeof inner === 'object' && inner !== null && 'message' in inner ? inner['message'] : undefined;
  if (typeof message === 'string') return { ...error, message };
  return { ...error, message: `The run failed at ${error.path ?? 'the model call'} (${error.code}).` };
}
