// The stream of a step through real processors: its output, the stored part, and the traces of a stop.
import { SESSION_LIMITS, type Chunk, type JsonObject, type PlanEntry } from '@millrace/contracts';
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { delta, say, textEnd, makeText, textStart, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createTestRun, type TestRun, type TestRunOptions } from '../testing/test-run.ts';
import type { ModelEnd } from './model-stream.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { streamStep, type StepChunkSource } from './step-stream.ts';

const nats = useNats();

const heldIn = ({ held }: JsonObject): string => (typeof held === 'string' ? held : '');
/** Holds text back until its part ends, drops the text of a part that was cut off, and counts over the run. */
const holder = defineMethods('holder', {
  processOutputStream: async ({ part, state, onViolation }) => {
    if (part.type === 'text-start') return null;
    if (part.type === 'text-delta') {
      state['held'] = `${heldIn(state)}${part.payload.text}`;
      return null;
    }
    if (part.type !== 'text-end') return part;
    onViolation({ message: 'held' });
    const text = heldIn(state);
    state['held'] = '';
    if (part.payload.complete === false) return part;
    return [textStart(part.payload.id), delta(text.toUpperCase(), part.payload.id), part];
  },
});
/** Stops at a word. */
const guard = defineMethods('guard', {
  processOutputStream: async ({ part, abort }) =>
    part.type === 'text-delta' && part.payload.text.includes('bad') ? abort('a bad word') : part,
});
/** Never finishes a delta. */
const sleeper = defineMethods('sleeper', {
  processOutputStream: ({ part }) => (part.type === 'text-delta' ? new Promise(() => undefined) : part),
});
let waverings = 0;
/** Breaks at its first "b", and sends another text the second time. A transient note precedes each chunk. */
const wavering = defineMethods('wavering', {
  processOutputStream: async ({ part, writer }) => {
    if (part.type !== 'text-delta') return part;
    const { text } = part.payload;
    await writer.custom({ type: 'data-note', data: text, transient: true });
    if (text === 'b' && ++waverings === 1) throw new Error('broken');
    return text === 'a' && waverings > 0 ? delta('A', part.payload.id) : part;
  },
});
useProcessors(nats, [holder, guard, sleeper, wavering], 'guards');
const connection = useBus(nats, 'orchestrator');

const at = (...names: string[]): PlanEntry[] =>
  names.map((name) => planEntry(name, { stages: ['processOutputStream'] }));
function testRun(entries: PlanEntry[], options: TestRunOptions = {}): TestRun {
  const made = createTestRun({ bus: connection.bus, entries, ...options });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  // However a step ended, its sessions are closed.
  onTestFinished(async () => void (await eventually(() => made.openSessions() === 0)));
  return made;
}
const done: ModelEnd = { finishReason: 'stop', usage: { totalTokens: 3 }, warnings: [] };
const saying =
  (chunks: Chunk[], end: ModelEnd = done): StepChunkSource =>
  async (_signal, take) => {
    for (const one of chunks) await take([one]);
    return end;
  };
const onPublish = (chunks: readonly Chunk[]) => {
  if (makeText(chunks) !== '') throw new Error('too large for a message');
};
const first = makeChunk(RUN_ID, { type: 'step-start', payload: {} });
const stream = ({ run }: TestRun, source: StepChunkSource) =>
  streamStep(run, { retryCount: 0, stepNumber: 0 }, { makeFirst: () => first, source });

describe('a stream', () => {
  test("without processors is the model's text", async () => {
    const made = testRun([]);
    expect(await stream(made, saying(say('a', 'b')))).toMatchObject({ kind: 'answer', finishReason: 'stop' });
    expect(listTypes(made.published)).toEqual(['step-start', 'text-start', 'text-delta', 'text-delta', 'text-end']);
  });

  test('has the chunks that processors passed, and so has the answer', async () => {
    const made = testRun(at('holder'));
    const answered = await stream(made, saying(say('a', 'b')));
    expect(makeText(made.published)).toBe('AB');
    expect(answered.kind === 'answer' && answered.builder.buildMessage().content.parts).toEqual([
      { type: 'text', text: 'AB' },
    ]);
    expect(made.run.getState()).toMatchObject({ states: { holder: { held: '' } }, violations: [{ message: 'held' }] });
  });

  test('that a processor stops abandons the model call, and publishes nothing more', async () => {
    const made = testRun(at('guard'));
    const given = Promise.withResolvers<boolean>();
    const stopped = await stream(made, async (signal, take) => {
      for (const one of say('good ', 'bad ', 'more')) await take([one]);
      signal.addEventListener('abort', () => given.resolve(true), { once: true });
      if (signal.aborted) given.resolve(true);
      await given.promise;
      return { error: { name: 'AbortError', message: 'given up', isRetryable: true } };
    });
    expect(stopped).toMatchObject({ kind: 'interrupt', interrupt: { tripwire: { reason: 'a bad word' } } });
    expect(makeText(made.published)).toBe('good ');
  });

  test('that the model breaks off is a model error, and text that processors hold back is not shown', async () => {
    const made = testRun(at('holder'));
    const error = { name: 'Error', message: 'gone', isRetryable: true };
    expect(await stream(made, saying(say('a').slice(0, 2), { error, retryAfterMs: 5 }))).toEqual({
      kind: 'model-error',
      error,
      retryAfterMs: 5,
    });
    expect(makeText(made.published)).toBe('');
    // Findings and states of the processors are kept: the run continues.
    expect(made.run.getState()).toMatchObject({ states: { holder: { held: '' } }, violations: [{ message: 'held' }] });
  });

  test('without an end of the model is ended by the orchestrator', async () => {
    const made = testRun(at('holder'));
    await stream(made, saying(say('a').slice(0, 2)));
    expect(makeText(made.published)).toBe('A');
  });

  test('through a hanging processor is read only as far as its windows allow, however much the model sends', async () => {
    const made = testRun([planEntry('sleeper', { stages: ['processOutputStream'], timeoutMs: 60_000 })]);
    let taken = 0;
    const streaming = stream(made, async (signal, take) => {
      while (!signal.aborted && taken < 100_000) {
        await take([delta('x'.repeat(1_000))]);
        taken += 1;
      }
      return done;
    });
    let before = -1;
    await eventually(() => (taken > 0 && taken === before) || ((before = taken), false), { pollMs: 300 });
    // Chunks in flight, and those that wait for the window.
    expect(taken).toBeLessThan(2 * SESSION_LIMITS.windowChunks + 10);
    made.stop('cancelled');
    await streaming;
  });

  test('that is restarted and then differs retracts the published chunks by their place in the run, and so does the answer', async () => {
    const made = testRun(at('wavering'));
    made.run.transcript.append([makeChunk(RUN_ID, { type: 'start', payload: {} })]);
    const answered = await stream(made, saying(say('x', 'a', 'b')));
    const text = answered.kind === 'answer' && answered.builder.buildMessage().content.parts;
    expect(text).toEqual([{ type: 'text', text: 'xAb' }]);
    const takenBack = made.published.find((one) => one.type === 'retract');
    // start, step-start, text-start and "x" stay.
    expect(takenBack).toMatchObject({ payload: { index: 4 } });
  });

  test('that was cut off at its maximum length shows no undecided text', async () => {
    const made = testRun(at('holder'));
    const answered = await stream(made, saying(say('a').slice(0, 2), { ...done, finishReason: 'length' }));
    expect(answered).toMatchObject({ kind: 'answer', finishReason: 'length' });
    expect(makeText(made.published)).toBe('');
  });

  test('with a chunk that cannot be published fails by name', async () => {
    const made = testRun([], { onPublish });
    const failed = await stream(made, saying(say('a', 'b')));
    expect(failed).toMatchObject({
      interrupt: { form: 'error', error: { message: 'too large for a message' } },
    });
  });

  test('that breaks off for another reason keeps states and findings of its processors', async () => {
    const made = testRun(at('holder'), { onPublish });
    await stream(made, saying([...say('a'), textStart('u'), delta('b', 'u')]));
    expect(made.run.getState()).toMatchObject({ states: { holder: { held: '' } }, violations: { length: 2 } });
  });

  test('with a source that throws throws too, and keeps no session open', async () => {
    const made = testRun(at('guard'));
    await expect(stream(made, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
    await eventually(() => made.openSessions() === 0);
  });
});

describe('a run that is stopped from outside', () => {
  const untilStopped =
    (made: TestRun, reason: 'cancelled' | 'fenced', chunks: Chunk[]): StepChunkSource =>
    async (signal, take) => {
      for (const one of chunks) await take([one]);
      made.stop(reason);
      expect(signal.aborted).toBe(true);
      return { error: { name: 'AbortError', message: 'given up', isRetryable: false } };
    };

  test('keeps the passed text, and no undecided text of processors', async () => {
    const made = testRun(at('holder'));
    const said = [...say('half'), textStart('u'), delta('secret', 'u')];
    const stopped = await stream(made, untilStopped(made, 'cancelled', said));
    expect(stopped).toMatchObject({ interrupt: { form: 'cancel' } });
    expect(makeText(made.published)).toBe('HALF');
    expect(made.run.getState().conversation.entries.at(-1)).toMatchObject({
      source: 'response',
      message: { content: { parts: [{ text: 'HALF' }] } },
    });
    expect(JSON.stringify([made.published, made.run.getState()])).not.toContain('ecret');
    expect(made.run.getState().violations).toHaveLength(2);
  });

  test('hides text that a guard stops at the end', async () => {
    const made = testRun(at('holder', 'guard'));
    await stream(made, untilStopped(made, 'cancelled', say('a bad one')));
    expect(makeText(made.published)).toBe('A BAD ONE');
    const guarded = testRun(at('guard', 'holder'));
    await stream(guarded, untilStopped(guarded, 'cancelled', [textStart(), delta('a bad one')]));
    expect(makeText(guarded.published)).toBe('');
  });

  test('does not wait for a processor that is still at work after the model’s last text', async () => {
    const made = testRun(at('sleeper'));
    const streaming = stream(made, saying(say('a')));
    await eventually(() => listTypes(made.published).includes('step-start'));
    const started = performance.now();
    made.stop('deadline');
    expect(await streaming).toMatchObject({ kind: 'interrupt' });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('keeps states and findings of the other processors if one does not end', async () => {
    const made = testRun(at('holder', 'sleeper'));
    const streaming = stream(made, saying(say('a')));
    await eventually(() => listTypes(made.published).includes('step-start'));
    await (made.stop('cancelled'), streaming);
    expect(made.run.getState()).toMatchObject({ states: { holder: { held: '' } }, violations: [{ message: 'held' }] });
  });

  test('does not wait for a model that ignores its signal', async () => {
    const made = testRun(at('guard'));
    const streaming = stream(made, async (_signal, take) => {
      await take(say('a'));
      return new Promise<never>(() => undefined);
    });
    await eventually(() => makeText(made.published) === 'a');
    made.stop('cancelled');
    expect(await streaming).toMatchObject({ interrupt: { form: 'cancel' } });
    expect(made.run.getState().conversation.entries.at(-1)?.source).toBe('response');
  });

  test('by a new owner publishes nothing more', async () => {
    const made = testRun(at('holder'));
    await stream(made, untilStopped(made, 'fenced', say('half').slice(0, 2)));
    expect(makeText(made.published)).toBe('');
    expect(made.run.getState().conversation.entries.map(({ source }) => source)).toEqual(['input']);
  });

  test('has nothing to keep if there was no text', async () => {
    const made = testRun(at('guard'));
    await stream(made, untilStopped(made, 'cancelled', [textStart(), textEnd()]));
    expect(made.run.getState().conversation.entries.map(({ source }) => source)).toEqual(['input']);
  });
});
