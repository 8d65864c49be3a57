// The effect of each action on a run's state; recovery folds the same actions again.
import {
  INSTRUCTIONS_LABEL,
  INSTRUCTIONS_TAG,
  selectMessages,
  readMessageText,
  buildTextMessage,
  type RunAction,
  type RunState,
  type ToolResult,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makeAccepted, makeAgent, makeAnswer, foldActions, RUN_ID, makeState } from '../testing/run-states.ts';
import { addUsage } from './add-usage.ts';
import { FEEDBACK_TAG } from './run-state.ts';

const call = { toolCallId: 'c1', toolName: 'clock', args: {} };
const result: ToolResult = { ...call, result: { time: 'noon' }, isError: false };
const openOne = (state: RunState, firstIndex = 1) => foldActions(state, { action: 'step-opened', firstIndex });
const answerRun = (state: RunState, text: string, calls = [] as (typeof call)[]) =>
  foldActions(state, ...makeAccepted(makeAnswer(state.steps.length, text, calls)));
const closeOne = (state: RunState, results: ToolResult[] = []) =>
  foldActions(state, { action: 'step-closed', results });
const texts = (state: RunState) => selectMessages(state.conversation, 'response').map(readMessageText);
const system = (tag: string, ...contents: string[]): RunAction => ({
  action: 'messages-changed',
  ops: [{ op: 'system', tag, contents }],
});

describe('a run’s state at the start', () => {
  test('has the submitted messages as conversation, after the instructions', () => {
    const state = makeState({ agent: makeAgent({ instructions: ['One.', '', 'Two.'] }) });
    expect(state.conversation.system).toEqual([
      { tag: INSTRUCTIONS_TAG, content: 'One.', label: INSTRUCTIONS_LABEL },
      { tag: INSTRUCTIONS_TAG, content: 'Two.', label: INSTRUCTIONS_LABEL },
    ]);
    expect(state.conversation.entries.map(({ source }) => source)).toEqual(['input']);
  });
});

describe('a change of a run’s state', () => {
  test('of messages is applied', () => {
    const message = buildTextMessage('m2', 'user', 'more');
    const state = foldActions(makeState(), {
      action: 'messages-changed',
      ops: [{ op: 'add', source: 'context', message }],
    });
    expect(selectMessages(state.conversation, 'context')).toMatchObject([message]);
  });

  test('of one entry’s state leaves the others alone', () => {
    const state = foldActions(
      makeState(),
      { action: 'states-changed', states: { a: { n: 1 }, b: { n: 1 } } },
      { action: 'states-changed', states: { b: { n: 2 } } },
    );
    expect(state.states).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  test('adds violations up', () => {
    const makeFound = (message: string): RunAction => ({
      action: 'violations-found',
      violations: [{ processorId: 'p', message }],
    });
    expect(
      foldActions(makeState(), makeFound('one'), makeFound('two')).violations.map(({ message }) => message),
    ).toEqual(['one', 'two']);
  });

  test('counts each model call', () => {
    expect(foldActions(makeState(), { action: 'model-called' }, { action: 'model-called' }).modelCalls).toBe(2);
  });
});

describe('a step in a run’s state', () => {
  test('becomes a result when it is closed, with its message, its usage and its results', () => {
    const state = closeOne(answerRun(openOne(makeState()), 'Let me see.', [call]), [result]);
    expect(state.steps).toMatchObject([
      { stepNumber: 0, text: 'Let me see.', toolCalls: [call], toolResults: [result], finishReason: 'tool-calls' },
    ]);
    expect(state.usage).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    const [message] = selectMessages(state.conversation, 'response');
    expect(message?.content.parts.at(-1)).toMatchObject({
      toolInvocation: { state: 'result', result: { time: 'noon' }, isError: false },
    });
    expect(state.open?.closed).toBe(true);
  });

  test('restores the system messages that processInputStep changed once it is answered', () => {
    const before = makeState();
    const during = foldActions(openOne(before), system(INSTRUCTIONS_TAG), system('hint', 'Only today.'));
    expect(during.conversation.system).toEqual([{ tag: 'hint', content: 'Only today.' }]);
    expect(answerRun(during, 'yes').conversation.system).toEqual(before.conversation.system);
  });

  test('keeps the system messages that processInput changed', () => {
    const state = answerRun(openOne(foldActions(makeState(), system('memory', 'Ada.'))), 'yes');
    expect(state.conversation.system.map(({ tag }) => tag)).toEqual([INSTRUCTIONS_TAG, 'memory']);
  });

  test('counts the retries that an error processor requests, and stores the model that it chooses', () => {
    const state = foldActions(
      openOne(makeState()),
      { action: 'error-retried', model: 'openai/other' },
      { action: 'error-retried' },
    );
    expect(state).toMatchObject({ retryCount: 2, open: { model: 'openai/other' } });
    const next = foldActions(
      state,
      { action: 'rewound', to: 'step', feedback: '' },
      { action: 'step-opened', firstIndex: 0 },
    );
    expect(next.retryCount).toBe(3);
    expect(next.open).not.toHaveProperty('model');
  });

  test('collects the results of denied and of finished calls', () => {
    const placed = { ...call, position: 0 };
    const finished = { ...result, position: 0 };
    const other = { ...result, position: 1, toolCallId: 'c2', denied: true, isError: true };
    const state = foldActions(
      answerRun(openOne(makeState()), '', [call]),
      { action: 'calls-judged', calls: [placed], denied: [other] },
      { action: 'tool-finished', result: finished },
    );
    expect(state.open).toMatchObject({ calls: [placed], results: [other, finished], closed: false });
  });

  test('ignores actions if it is not open', () => {
    const state = makeState();
    const actions: RunAction[] = [
      { action: 'answer-accepted', answer: makeAnswer(0, 'x'), tools: [] },
      { action: 'calls-judged', calls: [], denied: [] },
      { action: 'tool-finished', result: { ...result, position: 0 } },
      { action: 'step-closed', results: [] },
    ];
    for (const action of actions) expect(foldActions(state, action)).toEqual(state);
  });

  test('cannot be closed without an answer', () => {
    const state = openOne(makeState());
    expect(closeOne(state)).toEqual(state);
  });
});

describe('a rewind of a run’s state', () => {
  const feedback = 'Too rude.';
  const toStep = { action: 'rewound', to: 'step', feedback } as const;
  const toInput = { action: 'rewound', to: 'input', feedback } as const;
  const readFeedback = (state: RunState) =>
    state.conversation.system.filter(({ tag }) => tag === FEEDBACK_TAG).map(({ content }) => content);

  test('to the step removes its answer and adds the reason as feedback', () => {
    const state = foldActions(answerRun(openOne(makeState()), 'rude'), toStep);
    expect(state.open).toBeUndefined();
    expect(texts(state)).toEqual([]);
    expect(readFeedback(state)).toEqual([feedback]);
    expect(state).toMatchObject({ retryCount: 1, inputPassed: false, steps: [] });
  });

  test('to a closed step opens that one again, and keeps the earlier ones', () => {
    const first = closeOne(answerRun(openOne(makeState()), 'one', [call]), [result]);
    const second = closeOne(answerRun(openOne(first, 9), 'two'));
    const state = foldActions(second, toStep);
    expect(state.steps.map(({ text }) => text)).toEqual(['one']);
    expect(texts(state)).toEqual(['one']);
    expect(texts(closeOne(answerRun(openOne(state), 'better')))).toEqual(['one', 'better']);
  });

  test('removes the finish that had passed and was judged', () => {
    const payload = { stepResult: { reason: 'stop' }, output: {}, messages: [] };
    const finish = { type: 'finish' as const, runId: RUN_ID, from: 'AGENT' as const, payload };
    const judged = foldActions(closeOne(answerRun(openOne(makeState()), 'rude')), { action: 'result-judged', finish });
    expect(judged.finish).toBe(finish);
    expect(foldActions(judged, toStep).finish).toBeUndefined();
  });

  test('to the input restores the submitted conversation, and processInput is due again', () => {
    const message = buildTextMessage('m2', 'user', 'added');
    const state = foldActions(
      makeState(),
      { action: 'messages-changed', ops: [{ op: 'add', source: 'context', message }] },
      { action: 'states-changed', states: { a: { kept: true } } },
      toInput,
    );
    expect(selectMessages(state.conversation).map(({ id }) => id)).toEqual(['m1']);
    expect(readFeedback(state)).toEqual([feedback]);
    expect(state).toMatchObject({ inputPassed: false, retryCount: 1, states: { a: { kept: true } } });
  });

  test('to the step does not repeat processInput', () => {
    expect(foldActions(openOne(foldActions(makeState(), { action: 'input-passed' })), toStep).inputPassed).toBe(true);
  });

  test('replaces earlier feedback, and counts consecutively', () => {
    const once = foldActions(openOne(makeState()), toStep);
    const twice = foldActions(openOne(once), { ...toStep, feedback: 'Still rude.' });
    expect(readFeedback(twice)).toEqual(['Still rude.']);
    expect(twice.retryCount).toBe(2);
  });

  test('without a reason counts as well, and adds no feedback', () => {
    const state = foldActions(openOne(makeState()), { ...toStep, feedback: '' });
    expect(state.retryCount).toBe(1);
    expect(readFeedback(state)).toEqual([]);
  });

  test('leaves no feedback behind once an answer is accepted', () => {
    expect(readFeedback(answerRun(openOne(foldActions(openOne(makeState()), toStep)), 'kind'))).toEqual([]);
  });

  test('counts from 0 again with the step after an accepted one, not with the accepted one itself', () => {
    const retried = closeOne(answerRun(openOne(foldActions(openOne(makeState()), toStep)), 'kind', [call]), [result]);
    expect(retried.retryCount).toBe(1);
    expect(openOne(retried).retryCount).toBe(0);
  });

  test('keeps the count when processOutputResult rejects the accepted step', () => {
    const retried = closeOne(answerRun(openOne(foldActions(openOne(makeState()), toStep)), 'kind'));
    expect(openOne(foldActions(retried, toStep)).retryCount).toBe(2);
  });

  test('keeps the counts of usage and model calls', () => {
    const state = foldActions(answerRun(openOne(makeState()), 'rude'), toStep);
    expect(state.usage.totalTokens).toBe(15);
    expect(state.answered).toBe(true);
  });
});

test('the sum of usages adds known values and omits unknown ones', () => {
  expect(addUsage({ inputTokens: 1 }, { inputTokens: 2, reasoningTokens: 3 })).toEqual({
    inputTokens: 3,
    reasoningTokens: 3,
  });
});

describe('the cost of a run', () => {
  const payUsage = (...costs: (number | undefined)[]) =>
    foldActions(
      makeState(),
      ...costs.map((cost) => ({
        action: 'model-answered' as const,
        usage: { inputTokens: 1, ...(cost !== undefined && { cost }) },
      })),
    ).usage;

  test('is the sum of its calls', () => {
    expect(payUsage(0.1, 0.2)).toEqual({ inputTokens: 2, cost: 0.3 });
  });

  test.each([
    ['first', [undefined, 0.2, 0.1]],
    ['last', [0.1, 0.2, undefined]],
  ])("is unknown if that of the %s call is unknown: a partial sum is not the run's cost", (_which, costs) => {
    expect(payUsage(...costs)).toEqual({ inputTokens: 3 });
  });
});
