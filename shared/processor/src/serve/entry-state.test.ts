// Tests an entry's state in a stage call: its input and the verdicts that return it.
import type { Verdict } from '@millrace/contracts';
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';
import { define } from '../testing/defined.ts';

describe('state of an entry', () => {
  const counting = define('counting', {
    processInput: ({ state }) => {
      state['count'] = Number(state['count'] ?? 0) + 1;
    },
  });
  const withState = async (
    definition: ProcessorDefinition,
    state: StageCall['state'],
  ): Promise<Verdict | undefined> => {
    const entries = [callEntry(definition.id, {}, { state })];
    const outcome = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([definition]),
      callContext(),
    );
    return outcome.verdicts[0];
  };
  type StageCall = ReturnType<typeof callEntry>;

  test('The state is part of the call and returned with the verdict', async () => {
    expect(await withState(counting, { count: 4 })).toEqual({ type: 'continue', state: { count: 5 } });
  });

  test('An unchanged state is not returned', async () => {
    expect(await withState(define('idle', { processInput: () => undefined }), { count: 4 })).toEqual({
      type: 'continue',
    });
  });

  test('Two entries of one processor have separate states', async () => {
    const entries = [
      callEntry('counting', {}, { entry: 'one', state: { count: 1 } }),
      callEntry('counting', {}, { entry: 'two', state: { count: 10 } }),
    ];
    const { verdicts } = await callStage(
      stageCall('processInput', entries),
      createHostedProcessors([counting]),
      callContext(),
    );
    expect(verdicts).toMatchObject([{ state: { count: 2 } }, { state: { count: 11 } }]);
  });

  test('An abort and a halt return the state too', async () => {
    const stopping = define('stopping', {
      processInput: ({ state, abort }) => {
        state['seen'] = true;
        abort('no', { retry: true });
      },
    });
    expect(await withState(stopping, {})).toMatchObject({ type: 'abort', retry: true, state: { seen: true } });
  });

  test('An oversized state is a failure that names its entry and its size', async () => {
    const large = define('large', {
      processInput: ({ state }) => void Object.assign(state, { all: 'x'.repeat(300_000) }),
    });
    expect(await withState(large, {})).toMatchObject({
      type: 'failure',
      code: 'state-too-large',
      message: expect.stringMatching(/"large".* 300010 characters as JSON; the maximum is 262144/),
      retryable: false,
    });
  });

  test.each([
    ['not JSON', { get: () => 1 }],
    ['too large', { all: 'x'.repeat(300_000) }],
  ])('A state that is %s does not undo a rejection', async (_what, kept) => {
    const refusing = define('refusing', {
      processInput: ({ state, abort, onViolation }) => {
        Object.assign(state, kept);
        onViolation({ message: 'found' });
        return abort('no');
      },
    });
    const violations = [{ processorId: 'refusing', message: 'found' }];
    expect(await withState(refusing, {})).toEqual({ type: 'abort', reason: 'no', violations });
  });

  test('A state that its codec cannot decode is a failure', async () => {
    const decode = () => {
      throw new Error('no');
    };
    const unreadable = {
      ...define('unreadable', { processInput: () => undefined }),
      stateCodec: { decode, encode: decode },
    };
    expect(await withState(unreadable, {})).toMatchObject({ type: 'failure', code: 'processor-failed' });
  });

  test('A state that is not JSON is a failure with the path', async () => {
    const broken = define('broken', {
      processInput: ({ state }) => void Object.assign(state, { cache: { get: () => 1 } }),
    });
    expect(await withState(broken, {})).toMatchObject({
      type: 'failure',
      code: 'state-not-serializable',
      message: expect.stringContaining('state.cache.get'),
      retryable: false,
    });
  });
});
