import { MillraceError, STAGES, SUSPENSION_LIMITS, allowsRetry, allowsVerdict, type Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import type { CommonArgs } from '../processor/processor.ts';
import { StopError } from '../processor/stop.ts';
import { callForVerdict } from '../testing/one-method.ts';

type CalledStage = Exclude<Stage, 'processOutputStream'>;
const stages = STAGES.filter((stage): stage is CalledStage => stage !== 'processOutputStream');
type Stops = Pick<CommonArgs, 'abort' | 'halt' | 'suspend'>;
const stopping = (stage: CalledStage, stop: (args: Stops) => unknown) => callForVerdict(stage, stop);

describe('abort() of a processor', () => {
  test.each(stages)('%s: abort has its reason and metadata', async (stage) => {
    expect(await stopping(stage, ({ abort }) => abort('no', { metadata: { rule: 1 } }))).toEqual({
      type: 'abort',
      reason: 'no',
      metadata: { rule: 1 },
    });
  });

  test('The reason and the metadata of an abort are bounded in size', async () => {
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

  test.each(stages.filter(allowsRetry))('%s: abort may have retry', async (stage) => {
    expect(await retry(stage)).toEqual({ type: 'abort', reason: 'again', retry: true });
  });

  test.each(stages.filter((stage) => !allowsRetry(stage)))('%s: abort must not have retry', async (stage) => {
    const message = expect.stringContaining(stage);
    expect(await retry(stage)).toMatchObject({ type: 'failure', code: 'processor-verdict-refused', message });
  });

  test('abort without a reason has a default reason', async () => {
    expect(await stopping('processInput', ({ abort }) => abort())).toMatchObject({
      type: 'abort',
      reason: expect.stringMatching(/./),
    });
  });

  test('Options with other members than those of abort() and suspend() do not change the kind of the stop', async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a processor in JavaScript may pass any members
    const options = { type: 'pii', reason: 'other', payload: 'other', metadata: { count: 2 } } as object;
    expect(await stopping('processInput', ({ abort }) => abort('no', options))).toEqual({
      type: 'abort',
      reason: 'no',
      metadata: { count: 2 },
    });
    expect(await stopping('processToolCall', ({ suspend }) => suspend('sure?', options))).toEqual({
      type: 'suspend',
      payload: 'sure?',
    });
  });

  test('abort inside a promise counts', async () => {
    const later = async ({ abort }: Stops) => {
      await Promise.resolve();
      abort('later');
    };
    expect(await stopping('processInput', later)).toEqual({ type: 'abort', reason: 'later' });
  });

  test.each([
    ['of this version', { verdict: { type: 'abort', reason: 'foreign', retry: true } }],
    ['of an earlier version', { stop: { kind: 'abort', reason: 'foreign', options: { retry: true } } }],
  ])('abort from another copy of the package, %s, is recognized by its marker', async (_, members) => {
    const foreign = { [Symbol.for('millrace.stop')]: true, ...members };
    const thrown = await stopping('processInput', () => {
      throw foreign;
    });
    expect(thrown).toEqual({ type: 'abort', reason: 'foreign', retry: true });
    expect(StopError.isInstance(foreign)).toBe(true);
  });
});

test('halt() is a halt if the stage allows it, and a failure otherwise', async () => {
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

  test.each(stages.filter(suspends))('suspend() in %s is the verdict suspend with its payload', async (stage) => {
    expect(await suspending(stage)).toEqual({ type: 'suspend', payload: { question: 'sure?' }, expiresInSeconds: 60 });
  });

  test.each(stages.filter((stage) => !suspends(stage)))('suspend() in %s is a failure by name', async (stage) => {
    const message = expect.stringContaining(stage);
    expect(await suspending(stage)).toMatchObject({ type: 'failure', code: 'processor-verdict-refused', message });
  });

  test.each([
    ['a question that is too long', 'x'.repeat(SUSPENSION_LIMITS.maxPayloadChars), 60, /32768/],
    ['a time that is too long', 'sure?', SUSPENSION_LIMITS.maxSeconds + 1, /2592001/],
  ])('suspend() with %s is a failure', async (_what, payload, expiresInSeconds, message) => {
    const verdict = await stopping('processInput', ({ suspend }) => suspend(payload, { expiresInSeconds }));
    expect(verdict).toMatchObject({ code: 'processor-verdict-refused', message: expect.stringMatching(message) });
  });
});

describe('other thrown values', () => {
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
  ])('The thrown value is a failure of the processor: %s', async (_name, error, code, message, retryable) => {
    expect(await throwing(error)).toEqual({ type: 'failure', code, message, retryable });
  });

  const refuse = () => {
    throw new Error('hidden');
  };
  const unreadable = {
    'an object that cannot become text': { toString: refuse },
    'an error with a throwing message': Object.defineProperty(new Error('x'), 'message', { get: refuse }),
    'an object without a prototype': Object.create(null),
    'a coded error with an object as its message': Object.assign(new MillraceError('store-unavailable', 'x'), {
      message: { toJSON: refuse, toString: refuse },
    }),
    'a proxy with throwing traps': new Proxy({}, { has: refuse, getPrototypeOf: refuse }),
  };

  test.each(Object.entries(unreadable))('The thrown value is a failure with a message: %s', async (_name, error) => {
    const message = 'The members of the thrown value cannot be read.';
    expect(await throwing(error)).toMatchObject({ type: 'failure', code: 'processor-failed', message });
  });

  test.each(Object.entries(unreadable))(
    'A stop counts if the method throws this after it: %s',
    async (_name, error) => {
      const verdict = await stopping('processInput', ({ abort }) => {
        try {
          abort('no');
        } catch {
          throw error;
        }
      });
      expect(verdict).toEqual({ type: 'abort', reason: 'no' });
    },
  );
});
