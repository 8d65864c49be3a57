// What each action makes of a run's state; recovery is the same fold again.
import {
  INSTRUCTIONS_TAG,
  messagesOf,
  messageText,
  textMessage,
  type RunAction,
  type RunState,
  type ToolResult,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { acceptedOf, agentOf, answerOf, folded, RUN_ID, stateOf } from '../testing/run-states.ts';
import { FEEDBACK_TAG, addUsage } from './run-state.ts';

const call = { toolCallId: 'c1', toolName: 'clock', args: {} };
const result: ToolResult = { ...call, result: { time: 'noon' }, isError: false };
const opened = (state: RunState, firstIndex = 1) => folded(state, { action: 'step-opened', firstIndex });
const answered = (state: RunState, text: string, calls = [] as (typeof call)[]) =>
  folded(state, ...acceptedOf(answerOf(state.steps.length, text, calls)));
const closed = (state: RunState, results: ToolResult[] = []) => folded(state, { action: 'step-closed', results });
const texts = (state: RunState) => messagesOf(state.conversation, 'response').map(messageText);
const system = (tag: string, ...contents: string[]): RunAction => ({
  action: 'messages-changed',
  ops: [{ op: 'system', tag, contents }],
});

describe('a run’s state at the start', () => {
  test('has what was submitted as conversation, after the instructions', () => {
    const state = stateOf({ agent: agentOf({ instructions: ['One.', '', 'Two.'] }) });
    expect(state.conversation.system).toEqual([
      { tag: INSTRUCTIONS_TAG, content: 'One.' },
      { tag: INSTRUCTIONS_TAG, content: 'Two.' },
    ]);
    expect(state.conversation.entries.map(({ source }) => source)).toEqual(['input']);
  });
});

describe('a change of a run’s state', () => {
  test('of messages is applied', () => {
    const message = textMessage('m2', 'user', 'more');
    const state = folded(stateOf(), { action: 'messages-changed', ops: [{ op: 'add', source: 'context', message }] });
    expect(messagesOf(state.conversation, 'context')).toEqual([message]);
  });

  test('of one entry’s state leaves the others alone', () => {
    const state = folded(
      stateOf(),
      { action: 'states-changed', states: { a: { n: 1 }, b: { n: 1 } } },
      { action: 'states-changed', states: { b: { n: 2 } } },
    );
    expect(state.states).toEqual({ a: { n: 1 }, b: { n: 2 } });
  });

  test('adds violations up', () => {
    const found = (message: string): RunAction => ({
      action: 'violations-found',
      violations: [{ processorId: 'p', message }],
    });
    expect(folded(stateOf(), found('one'), found('two')).violations.map(({ message }) => message)).toEqual([
      'one',
      'two',
    ]);
  });

  test('counts each model call', () => {
    expect(folded(stateOf(), { action: 'model-called' }, { action: 'model-called' }).modelCalls).toBe(2);
  });
});

describe('a step in a run’s state', () => {
  test('that is closed is a result, with its message, its usage and its results', () => {
    const state = closed(answered(opened(stateOf()), 'Let me see.', [call]), [result]);
    expect(state.steps).toMatchObject([
      { stepNumber: 0, text: 'Let me see.', toolCalls: [call], toolResults: [result], finishReason: 'tool-calls' },
    ]);
    expect(state.usage).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    const [message] = messagesOf(state.conversation, 'response');
    expect(message?.content.parts.at(-1)).toMatchObject({
      toolInvocation: { state: 'result', result: { time: 'noon' }, isError: false },
    });
    expect(state.open?.closed).toBe(true);
  });

  test('puts back what processInputStep did to the system messages once it is answered', () => {
    const before = stateOf();
    const during = folded(opened(before), system(INSTRUCTIONS_TAG), system('hint', 'Only today.'));
    expect(during.conversation.system).toEqual([{ tag: 'hint', content: 'Only today.' }]);
    expect(answered(during, 'yes').conversation.system).toEqual(before.conversation.system);
  });

  test('keeps what processInput did to them', () => {
    const state = answered(opened(folded(stateOf(), system('memory', 'Ada.'))), 'yes');
    expect(state.conversation.system.map(({ tag }) => tag)).toEqual([INSTRUCTIONS_TAG, 'memory']);
  });

  test('counts the tries that an error processor asks for, and remembers the model that it wants', () => {
    const state = folded(
      opened(stateOf()),
      { action: 'error-retried', model: 'openai/other' },
      { action: 'error-retried' },
    );
    expect(state.open).toMatchObject({ errorRetries: 2, model: 'openai/other' });
    const next = folded(
      state,
      { action: 'rewound', to: 'step', feedback: '' },
      { action: 'step-opened', firstIndex: 0 },
    );
    expect(next.open).toMatchObject({ errorRetries: 0 });
    expect(next.open).not.toHaveProperty('model');
  });

  test('collects the results of denied and of finished calls', () => {
    const placed = { ...call, position: 0 };
    const finished = { ...result, position: 0 };
    const other = { ...result, position: 1, toolCallId: 'c2', denied: true, isError: true };
    const state = folded(
      answered(opened(stateOf()), '', [call]),
      { action: 'calls-judged', calls: [placed], denied: [other] },
      { action: 'tool-finished', result: finished },
    );
    expect(state.open).toMatchObject({ calls: [placed], results: [other, finished], closed: false });
  });

  test('that is not open takes nothing', () => {
    const state = stateOf();
    const actions: RunAction[] = [
      { action: 'answer-accepted', answer: answerOf(0, 'x'), tools: [] },
      { action: 'calls-judged', calls: [], denied: [] },
      { action: 'tool-finished', result: { ...result, position: 0 } },
      { action: 'step-closed', results: [] },
    ];
    for (const action of actions) expect(folded(state, action)).toEqual(state);
  });

  test('without an answer cannot be closed', () => {
    const state = opened(stateOf());
    expect(closed(state)).toEqual(state);
  });
});

describe('a rewind of a run’s state', () => {
  const feedback = 'Too rude.';
  const toStep = { action: 'rewound', to: 'step', feedback } as const;
  const toInput = { action: 'rewound', to: 'input', feedback } as const;
  const feedbackOf = (state: RunState) =>
    state.conversation.system.filter(({ tag }) => tag === FEEDBACK_TAG).map(({ content }) => content);

  test('to the step forgets its answer and tells the model why', () => {
    const state = folded(answered(opened(stateOf()), 'rude'), toStep);
    expect(state.open).toBeUndefined();
    expect(texts(state)).toEqual([]);
    expect(feedbackOf(state)).toEqual([feedback]);
    expect(state).toMatchObject({ retryCount: 1, inputPassed: false, steps: [] });
  });

  test('to a step that was closed opens that one again, and leaves those before it', () => {
    const first = closed(answered(opened(stateOf()), 'one', [call]), [result]);
    const second = closed(answered(opened(first, 9), 'two'));
    const state = folded(second, toStep);
    expect(state.steps.map(({ text }) => text)).toEqual(['one']);
    expect(texts(state)).toEqual(['one']);
    expect(texts(closed(answered(opened(state), 'better')))).toEqual(['one', 'better']);
  });

  test('forgets the finish that had passed and was judged: it is not the end any more', () => {
    const payload = { stepResult: { reason: 'stop' }, output: {}, messages: [] };
    const finish = { type: 'finish' as const, runId: RUN_ID, from: 'AGENT' as const, payload };
    const judged = folded(closed(answered(opened(stateOf()), 'rude')), { action: 'result-judged', finish });
    expect(judged.finish).toBe(finish);
    expect(folded(judged, toStep).finish).toBeUndefined();
  });

  test('to the input is the conversation as it was submitted, and processInput is due again', () => {
    const message = textMessage('m2', 'user', 'added');
    const state = folded(
      stateOf(),
      { action: 'messages-changed', ops: [{ op: 'add', source: 'context', message }] },
      { action: 'states-changed', states: { a: { kept: true } } },
      toInput,
    );
    expect(messagesOf(state.conversation).map(({ id }) => id)).toEqual(['m1']);
    expect(feedbackOf(state)).toEqual([feedback]);
    expect(state).toMatchObject({ inputPassed: false, retryCount: 1, states: { a: { kept: true } } });
  });

  test('leaves processInput alone when it goes to the step', () => {
    expect(folded(opened(folded(stateOf(), { action: 'input-passed' })), toStep).inputPassed).toBe(true);
  });

  test('again replaces the feedback, and counts in a row', () => {
    const once = folded(opened(stateOf()), toStep);
    const twice = folded(opened(once), { ...toStep, feedback: 'Still rude.' });
    expect(feedbackOf(twice)).toEqual(['Still rude.']);
    expect(twice.retryCount).toBe(2);
  });

  test('without a reason counts as well, and says nothing to the model', () => {
    const state = folded(opened(stateOf()), { ...toStep, feedback: '' });
    expect(state.retryCount).toBe(1);
    expect(feedbackOf(state)).toEqual([]);
  });

  test('leaves no feedback behind once an answer is accepted', () => {
    expect(feedbackOf(answered(opened(folded(opened(stateOf()), toStep)), 'kind'))).toEqual([]);
  });

  test('counts from 0 again with the step after an accepted one, not with the accepted one itself', () => {
    const retried = closed(answered(opened(folded(opened(stateOf()), toStep)), 'kind', [call]), [result]);
    expect(retried.retryCount).toBe(1);
    expect(opened(retried).retryCount).toBe(0);
  });

  test('keeps the count when processOutputResult rejects the accepted step', () => {
    const retried = closed(answered(opened(folded(opened(stateOf()), toStep)), 'kind'));
    expect(opened(folded(retried, toStep)).retryCount).toBe(2);
  });

  test('keeps usage and model calls counted', () => {
    const state = folded(answered(opened(stateOf()), 'rude'), toStep);
    expect(state.usage.totalTokens).toBe(15);
    expect(state.answered).toBe(true);
  });
});

test('the sum of usages adds what is known, and leaves out what nobody said', () => {
  expect(addUsage({ inputTokens: 1 }, { inputTokens: 2, reasoningTokens: 3 })).toEqual({
    inputTokens: 3,
    reasoningTokens: 3,
  });
});

describe('the cost of a run', () => {
  const paid = (...costs: (number | undefined)[]) =>
    folded(
      stateOf(),
      ...costs.map((cost) => ({
        action: 'model-answered' as const,
        usage: { inputTokens: 1, ...(cost !== undefined && { cost }) },
      })),
    ).usage;

  test('is the sum of its calls', () => {
    expect(paid(0.1, 0.2)).toEqual({ inputTokens: 2, cost: 0.3 });
  });

  test.each([
    ['first', [undefined, 0.2, 0.1]],
    ['last', [0.1, 0.2, undefined]],
  ])(
    'is not known where that of the %s call is not: the sum of the others is not what it has cost',
    (_which, costs) => {
      expect(paid(...costs)).toEqual({ inputTokens: 3 });
    },
  );
});
