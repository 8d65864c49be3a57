import { MillraceError, STAGES, SUSPENSION_LIMITS, allowsRetry, allowsVerdict, type Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import type { CommonArgs } from '../processor.ts';
import { StopError } from './stop.ts';
import { verdictOf } from '../testing/one-method.ts';

type CalledStage = Exclude<Stage, 'processOutputStream'>;
const stages = STAGES.filter((stage): stage is CalledStage => stage !== 'processOutputStream');
type Stops = Pick<CommonArgs, 'abort' | 'halt' | 'suspend'>;
const stopping = (stage: CalledStage, stop: (args: Stops) => unknown) => verdictOf(stage, stop);

describe('abort() of a processor', () => {
  test.each(stages)('%s: with its reason and metadata', async (stage) => {
    expect(await stopping(stage, ({ abort }) => abort('no', { metadata: { rule: 1 } }))).toEqual({
      type: 'abort',
      reason: 'no',
      metadata: { rule: 1 },
    });
  });

  test('has a reason and metadata of a size that everybody can store', async () => {
    const long = 'x'.repeat(2_000_000);
    const verdict = await stopping('processInput', ({ abort }) => abort(long, { metadata: { long } }));
    expect(verdict).toMatchObject({ type: 'abort', reason: expect.stringMatching(/^x+…$/) });
    expect(JSON.stringify(verdict).length).toBeLessThan(20_000);
    const failure = await stopping('processInput', () => {
      throw new Error(long);
    });
    expect(JSON.stringify(failure).length).toBeLessThan(20_000);
  });

  const retry = (stage: CalledStage) => stopping(stage, ({ abort }) => abort('again', { retry: true }));

  test.each(stages.filter(allowsRetry))('%s: with retry', async (stage) => {
    expect(await retry(stage)).toEqual({ type: 'abort', reason: 'again', retry: true });
  });

  test.each(stages.filter((stage) => !allowsRetry(stage)))('%s: not with retry', async (stage) => {
    const message = expect.stringContaining(stage);
    expect(await retry(stage)).toMatchObject({ type: 'failure', code: 'processor-verdict-refused', message });
  });

  test('says something even without a reason', async () => {
    expect(await stopping('processInput', ({ abort }) => abort())).toMatchObject({
      type: 'abort',
      reason: expect.stringMatching(/./),
    });
  });

  test('counts when it is thrown later, from inside a promise', async () => {
    const later = async ({ abort }: Stops) => {
      await Promise.resolve();
      abort('later');
    };
    expect(await stopping('processInput', later)).toEqual({ type: 'abort', reason: 'later' });
  });

  test('counts when it comes from another copy of the package: by its marker', async () => {
    const foreign = { [Symbol.for('millrace.stop')]: true, stop: { kind: 'abort', reason: 'foreign', options: {} } };
    const thrown = await stopping('processInput', () => {
      throw foreign;
    });
    expect(thrown).toEqual({ type: 'abort', reason: 'foreign' });
    expect(StopError.isInstance(foreign)).toBe(true);
  });
});

test('halt() of a processor is a halt where the stage allows it, a failure where it does not', async () => {
  const halt = (stage: CalledStage) => stopping(stage, (args) => args.halt('done', 'why'));
  expect(await halt('processToolCall')).toEqual({ type: 'halt', response: 'done', reason: 'why' });
  for (const stage of ['processAPIError', 'processLLMResponse'] as const) {
    expect(await halt(stage)).toMatchObject({ type: 'failure', code: 'processor-verdict-refused' });
  }
});

describe('suspend() of a processor', () => {
  const suspending = (stage: CalledStage) =>
    stopping(stage, ({ suspend }) => suspend({ question: 'sure?' }, { expiresInSeconds: 60 }));
  const suspends = (stage: Stage) => allowsVerdict(stage, 'suspend');

  test.each(stages.filter(suspends))('in %s is the verdict suspend, with what is asked', async (stage) => {
    expect(await suspending(stage)).toEqual({ type: 'suspend', payload: { question: 'sure?' }, expiresInSeconds: 60 });
  });

  test.each(stages.filter((stage) => !suspends(stage)))('in %s is a failure by name', async (stage) => {
    const message = expect.stringContaining(stage);
    expect(await suspending(stage)).toMatchObject({ type: 'failure', code: 'processor-verdict-refused', message });
  });

  test.each([
    ['a question that is too long', 'x'.repeat(SUSPENSION_LIMITS.maxPayloadChars), 60, /32768/],
    ['a time that is too long', 'sure?', SUSPENSION_LIMITS.maxSeconds + 1, /2592001/],
  ])('with %s is a failure, not another question', async (_what, payload, expiresInSeconds, message) => {
    const verdict = await stopping('processInput', ({ suspend }) => suspend(payload, { expiresInSeconds }));
    expect(verdict).toMatchObject({ code: 'processor-verdict-refused', message: expect.stringMatching(message) });
  });
});

describe('anything else that is thrown is the failure of the processor', () => {
  const throwing = (error: unknown) =>
    stopping('processInput', () => {
      throw error;
    });

  test.each([
    ['an error', new TypeError('x is undefined'), 'processor-failed', 'x is undefined', true],
    ['a text', 'just text', 'processor-failed', 'just text', true],
    ['nothing', undefined, 'processor-failed', 'undefined', true],
    [
      'a coded error',
      new MillraceError('store-unavailable', 'Redis is down.'),
      'store-unavailable',
      'Redis is down.',
      true,
    ],
    [
      'a coded error that stays',
      new MillraceError('thread-foreign', 'Not yours.'),
      'thread-foreign',
      'Not yours.',
      false,
    ],
  ])('%s', async (_name, error, code, message, retryable) => {
    expect(await throwing(error)).toEqual({ type: 'failure', code, message, retryable });
  });
});
