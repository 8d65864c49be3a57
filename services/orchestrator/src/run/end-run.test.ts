// The forms of a run's ending: the chunks that are still published, the last chunk, the stored result.
import type { RunAction, WireError } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makeText, listTypes } from '../testing/chunks.ts';
import { makeAccepted, makeAnswer, RUN_ID } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { endRun } from './end-run.ts';
import { makeFinishChunk } from '../transcript/finish-chunks.ts';
import { omitUntrustedText } from './guard-own-texts.ts';

const call = { toolCallId: 'c1', toolName: 'clock', args: {} };
const acceptAll = (n: number, text: string, calls: (typeof call)[] = [], object?: unknown): RunAction[] => {
  const answer = { ...makeAnswer(n, text, calls), ...(object !== undefined && { object }) };
  return [
    { action: 'step-opened', firstIndex: 1 + n * 10 },
    { action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] },
    ...makeAccepted(answer),
  ];
};
const closed: RunAction = { action: 'step-closed', results: [] };
/** A run that has published `start` and one chunk for each step. */
function runAfter(...actions: RunAction[]) {
  const made = createTestRun();
  made.run.transcript.append([
    makeChunk(RUN_ID, { type: 'start', payload: {} }),
    makeChunk(RUN_ID, { type: 'step-start', payload: {} }),
  ]);
  for (const action of actions) made.run.dispatch(action);
  return made;
}
const texts = (messages: { content: { parts: unknown[] } }[]) =>
  messages.flatMap(({ content }) => content.parts.map((part) => Object(part).text));

describe('the ending finish', () => {
  test('is the text of all steps, and the object of the last answer', async () => {
    const { run } = runAfter(
      ...acceptAll(0, 'One. ', [call]),
      closed,
      ...acceptAll(1, '{"a":1}', [], { a: 1 }),
      closed,
    );
    const ended = await endRun(run, { form: 'finish', finish: makeFinishChunk(run, 'stop') });
    expect(ended).toMatchObject({
      lastChunk: { type: 'finish' },
      result: { status: 'finished', text: 'One. {"a":1}', finishReason: 'stop', object: { a: 1 }, steps: [{}, {}] },
    });
  });
});

describe('the ending halt', () => {
  const halt = { form: 'halt' as const, response: 'Instead.', processorId: 'guard', answered: false };

  test('has the given text in the result, the finish and the conversation', async () => {
    const { run, published } = runAfter();
    const { result, lastChunk } = await endRun(run, halt);
    expect(result.status).toBe('finished');
    expect(result).toMatchObject({ text: 'Instead.', finishReason: 'halted', steps: [] });
    expect(texts(result.messages)).toEqual(['Instead.']);
    expect(makeText(published)).toBe('Instead.');
    expect(lastChunk).toMatchObject({
      payload: { stepResult: { reason: 'halted' }, output: { text: 'Instead.' }, messages: result.messages },
    });
  });

  test('of a step retracts that step: its message is removed, earlier ones stay', async () => {
    const { run, published } = runAfter(...acceptAll(0, 'One. ', [call]), closed, ...acceptAll(1, 'rejected'));
    const { result } = await endRun(run, { ...halt, rejected: { what: 'step', from: 1 } });
    expect(texts(result.messages)).toEqual(['One. ', undefined, 'Instead.']);
    expect(result.steps.map(({ text }) => text)).toEqual(['One. ']);
    expect(published.find(({ type }) => type === 'retract')).toMatchObject({ payload: { index: 1 } });
  });

  test('at the end retracts everything, including the object', async () => {
    const { run } = runAfter(...acceptAll(0, '{"secret":1}', [], { secret: 1 }), closed);
    const { result, lastChunk } = await endRun(run, { ...halt, rejected: { what: 'run', from: 1 } });
    expect(texts(result.messages)).toEqual(['Instead.']);
    expect(JSON.stringify({ result, lastChunk })).not.toContain('secret');
  });

  test('with an empty text is an ending like any other', async () => {
    const { run } = runAfter();
    expect((await endRun(run, { ...halt, response: '' })).result).toMatchObject({ text: '', finishReason: 'halted' });
  });
});

describe('the ending tripwire', () => {
  const tripwire = { reason: 'no', processorId: 'guard' };

  test('is the last chunk and in the result, without a text', async () => {
    const { run, published } = runAfter(...acceptAll(0, 'One. ', [call]), closed);
    const ended = await endRun(run, { form: 'tripwire', tripwire });
    expect(ended).toMatchObject({
      lastChunk: { type: 'tripwire', payload: tripwire },
      result: {
        status: 'aborted',
        text: '',
        messages: [],
        finishReason: 'other',
        tripwire,
        steps: [{ text: 'One. ' }],
      },
    });
    expect(listTypes(published)).toEqual(['start', 'step-start']);
  });

  test('at the end leaves no rejected text in the result', async () => {
    const { run } = runAfter(...acceptAll(0, 'the secret', [], { secret: 1 }), closed);
    const ended = await endRun(run, { form: 'tripwire', tripwire, rejected: { what: 'run', from: 1 } });
    expect(JSON.stringify(ended)).not.toContain('secret');
    expect(ended.result.usage.totalTokens).toBe(15);
  });
});

describe('the ending error', () => {
  const makeFailure = (code: WireError['code']): WireError => ({
    code,
    message: 'it said: secret',
    path: 'processInput/guard',
  });

  test('is the last chunk and in the result', async () => {
    const { run } = runAfter();
    const ended = await endRun(run, { form: 'error', error: makeFailure('processor-timeout') });
    expect(ended).toMatchObject({
      lastChunk: { type: 'error', payload: { error: { code: 'processor-timeout' } } },
      result: { status: 'failed', text: '', finishReason: 'error', error: { message: 'it said: secret' } },
    });
  });

  test.each(['processor-failed', 'model-call-failed', 'internal', 'store-unavailable', 'processor-timeout'] as const)(
    'with a foreign message (%s) hides it if no guard can be called',
    async (code) => {
      const { run } = runAfter();
      const ended = await endRun(run, { form: 'error', error: makeFailure(code), chainBroken: true });
      expect(JSON.stringify(ended)).not.toContain('secret');
      expect(ended.result.error).toMatchObject({
        code,
        message: expect.stringContaining('processInput/guard'),
        path: 'processInput/guard',
      });
      expect(omitUntrustedText({ code, message: 'secret' }).message).not.toContain('secret');
    },
  );

  test('with a message of the orchestrator is shown unchanged, even if no guard can be called', async () => {
    const { run } = runAfter();
    const error = makeFailure('run-deadline-exceeded');
    const ended = await endRun(run, { form: 'error', error, ownWords: true, chainBroken: true });
    expect(ended.result.error).toEqual(error);
  });

  test('with an unknown code is a processor’s failure, because a code may carry text too', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- codes of others travel
    const code = 'my-secret' as WireError['code'];
    expect(omitUntrustedText({ code, message: 'x' })).toMatchObject({ code: 'processor-failed' });
  });

  test('at the end of the run leaves no rejected text in the result', async () => {
    const { run } = runAfter(...acceptAll(0, 'the answer'), closed);
    const rejected = { what: 'run' as const, from: 1 };
    const ended = await endRun(run, { form: 'error', error: makeFailure('processor-timeout'), rejected });
    expect(JSON.stringify(ended)).not.toContain('the answer');
  });
});

describe('the ending cancel', () => {
  test('keeps the text so far', async () => {
    const { run } = runAfter(...acceptAll(0, 'so far'));
    expect(await endRun(run, { form: 'cancel' })).toMatchObject({
      lastChunk: { type: 'abort' },
      result: { status: 'cancelled', text: 'so far', finishReason: 'other' },
    });
  });
});
