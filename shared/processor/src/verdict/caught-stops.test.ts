// A stop counts although its error does not leave the method.
import { STAGES, type Chunk, type Stage } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createHostedProcessors } from '../serve/hosted-processor.ts';
import { callStage } from '../serve/call-stage.ts';
import type { CommonArgs } from '../processor/processor.ts';
import { callForVerdict, defineWithMethods } from '../testing/one-method.ts';
import { delta, streaming, streamThrough } from '../testing/streaming.ts';

type CalledStage = Exclude<Stage, 'processOutputStream'>;
const stages = STAGES.filter((stage): stage is CalledStage => stage !== 'processOutputStream');
type Stops = Pick<CommonArgs, 'abort' | 'halt' | 'suspend'>;

/** Calls the function and drops its error, as a method with a broad `catch` does. */
const swallow = (call: () => unknown) => {
  try {
    call();
  } catch {
    // Dropped.
  }
};

describe('a stop with an error that the method catches', () => {
  test.each(stages)('%s: a caught abort is the verdict', async (stage) => {
    const verdict = await callForVerdict(stage, ({ abort }) => swallow(() => abort('no')));
    expect(verdict).toEqual({ type: 'abort', reason: 'no' });
  });

  test('A caught halt and a caught suspension are the verdict', async () => {
    expect(await callForVerdict('processInput', ({ halt }) => swallow(() => halt('later')))).toEqual({
      type: 'halt',
      response: 'later',
    });
    expect(await callForVerdict('processToolCall', ({ suspend }) => swallow(() => suspend({ ask: 1 })))).toEqual({
      type: 'suspend',
      payload: { ask: 1 },
    });
  });

  test('A stop in a promise is the verdict if the method ignores the rejection', async () => {
    const settle = async ({ abort }: Stops) => {
      await Promise.allSettled([Promise.resolve().then(() => abort('no'))]);
    };
    expect(await callForVerdict('processInput', settle)).toEqual({ type: 'abort', reason: 'no' });
  });

  test('A caught stop decides, not a later error of the method', async () => {
    const fail = ({ abort }: Stops) => {
      swallow(() => abort('no'));
      throw new Error('after the abort');
    };
    expect(await callForVerdict('processInput', fail)).toEqual({ type: 'abort', reason: 'no' });
  });

  test('A stop that leaves the method decides, not one that the method caught before', async () => {
    const replace = ({ abort, halt }: Stops) => {
      swallow(() => abort('no'));
      halt('instead');
    };
    expect(await callForVerdict('processInput', replace)).toEqual({ type: 'halt', response: 'instead' });
  });

  test('A stop after the return of the method is a warning with the entry', async () => {
    const warnings: string[] = [];
    const later = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const forget = ({ abort }: Stops) => {
      const check = async () => {
        await later.promise;
        swallow(() => abort('too late'));
        done.resolve();
      };
      void check();
    };
    const hosted = createHostedProcessors([defineWithMethods({ processInput: forget })]);
    const call = stageCall('processInput', [callEntry('one')], {});
    const { verdicts } = await callStage(call, hosted, callContext({ warn: (text) => void warnings.push(text) }));
    later.resolve();
    await done.promise;
    expect(verdicts).toEqual([{ type: 'continue' }]);
    expect(warnings).toEqual([expect.stringMatching(/"one" called abort\(\) after its method had returned/)]);
  });
});

describe('a stop of an output stream with an error that the method catches', () => {
  const pass = streaming('pass', ({ part }) => part);
  const isBad = (part: Chunk) => part.type === 'text-delta' && part.payload.text === 'bad';

  test.each(['sync', 'async'])(
    'The stream stops before the chunk for which a method caught its abort: %s',
    async (form) => {
      const guard = streaming('guard', ({ part, abort }) => {
        if (isBad(part)) swallow(() => abort('no'));
        return form === 'sync' ? part : Promise.resolve(part);
      });
      const { out, verdicts } = await streamThrough([guard, pass], [delta('good'), delta('bad'), delta('more')]);
      expect(out).toEqual(['good']);
      expect(verdicts).toEqual([{ type: 'abort', reason: 'no' }, { type: 'continue' }]);
    },
  );

  test('A stop between two calls of the method ends the stream', async () => {
    let checked = Promise.resolve();
    const guard = streaming('guard', ({ part, abort }) => {
      if (isBad(part)) checked = Promise.resolve().then(() => swallow(() => abort('no')));
      return part;
    });
    const slow = streaming('slow', async ({ part }) => {
      await checked;
      return part;
    });
    const { out, verdicts } = await streamThrough([guard, slow], [delta('good'), delta('bad')]);
    expect(out).not.toContain('bad');
    expect(verdicts[0]).toEqual({ type: 'abort', reason: 'no' });
  });
});
