import {
  listLabels,
  buildTextMessage,
  type Message,
  type MessagePart,
  type PlanEntry,
  type RunAction,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { makeAgent, makeAnswer, makeState } from '../testing/run-states.ts';
import { isRunTainted, listTaintOrigins } from './run-labels.ts';
import { reduceRun } from './run-state.ts';

const fold = (...actions: RunAction[]) => actions.reduce(reduceRun, makeState({ agent: makeAgent() }));
const withParts = (message: Message, ...parts: MessagePart[]): Message => ({
  ...message,
  content: { format: 2, parts },
});
const answer = (...parts: MessagePart[]): RunAction => ({
  action: 'messages-changed',
  ops: [{ op: 'add', source: 'response', message: withParts(buildTextMessage('a1', 'assistant', ''), ...parts) }],
});
const rememberMessage = (label?: object): RunAction => ({
  action: 'messages-changed',
  ops: [
    {
      op: 'add',
      source: 'remembered',
      message: withParts(buildTextMessage('r1', 'user', ''), { type: 'text', text: 'old', ...(label && { label }) }),
    },
  ],
});
const words: MessagePart = { type: 'text', text: 'Hello.' };
const labelsIn = (state: ReturnType<typeof fold>, id: string) =>
  state.conversation.entries.flatMap(({ message }) => (message.id === id ? listLabels(message) : []));

describe('an answer of the model', () => {
  test('is trusted if the prompt holds instructions and the text of the caller only', () => {
    expect(isRunTainted(fold())).toBe(false);
    expect(labelsIn(fold(answer(words)), 'a1')).toEqual([{ origin: 'model', trust: 'trusted' }]);
  });

  test.each([
    ['a source', { type: 'source', source: { url: 'https://example.com' } }],
    [
      'a result of a tool of the provider',
      {
        type: 'tool-invocation',
        providerExecuted: true,
        toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'web', args: {}, result: 'x' },
      },
    ],
  ] satisfies [string, MessagePart][])('with %s is untrusted as a whole', (_, part) => {
    const labels = labelsIn(fold(answer(words, part)), 'a1');
    expect(labels).toEqual([
      { origin: 'model', trust: 'untrusted' },
      { origin: 'provider', trust: 'untrusted' },
    ]);
  });

  test('inherits the trust of the prompt, and of the prompts that a processor has changed', () => {
    expect(labelsIn(fold(rememberMessage(), answer(words)), 'a1')).toEqual([{ origin: 'model', trust: 'untrusted' }]);
    const tainted = fold({ action: 'taint-found', entries: [], origins: ['processor:rag'] }, answer(words));
    expect(labelsIn(tainted, 'a1')).toEqual([{ origin: 'model', trust: 'untrusted' }]);
    expect(listTaintOrigins(tainted)).toEqual(['processor:rag']);
  });
});

test('an answer is untrusted if a processor of its stream adds text from outside', () => {
  const withStream = (more: Partial<PlanEntry>) => {
    const entry = planEntry('stream', { stages: ['processOutputStream'], ...more });
    const state = makeState({ agent: makeAgent(), plan: makePlan([entry]) });
    return labelsIn(reduceRun(state, answer(words)), 'a1').map(({ trust }) => trust);
  };
  expect(withStream({ addsText: true })).toEqual(['untrusted']);
  expect(withStream({ addsText: true, declassifies: true })).toEqual(['trusted']);
  expect(withStream({})).toEqual(['trusted']);
});

describe('records of an earlier version, without labels', () => {
  test('remembered messages are untrusted', () => {
    expect(labelsIn(fold(rememberMessage()), 'r1')).toMatchObject([{ trust: 'untrusted' }]);
    const own = { origin: 'caller', trust: 'trusted' };
    expect(labelsIn(fold(rememberMessage(own)), 'r1')).toEqual([own]);
  });
});

describe('the results of a closed step', () => {
  const call = { toolCallId: 'c1', toolName: 'look', args: {} };
  const close = (inherits: boolean) => {
    const state = makeState({ agent: makeAgent() });
    const rule = {
      whenUntrusted: 'allow' as const,
      resultTrust: inherits ? ('inherit' as const) : ('untrusted' as const),
    };
    const plan = { ...state.applied.plan, toolRules: { look: rule } };
    const answered = makeAnswer(0, '', [call]);
    const actions: RunAction[] = [
      { action: 'step-opened', firstIndex: 0 },
      { action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answered.message }] },
      { action: 'answer-accepted', answer: answered, tools: [] },
      { action: 'step-closed', results: [{ ...call, result: 'x', isError: false }] },
    ];
    return actions.reduce(reduceRun, { ...state, applied: { ...state.applied, plan } });
  };

  test('are untrusted, with their tool as the origin', () => {
    const state = close(false);
    expect(isRunTainted(state)).toBe(true);
    expect(listTaintOrigins(state)).toEqual(['tool:look']);
  });

  test('have the trust of the call if the agent declares it', () => {
    expect(isRunTainted(close(true))).toBe(false);
  });
});

test('the reason of a repetition has the lowest trust of the run', () => {
  const rewound = (...before: RunAction[]) =>
    fold(...before, { action: 'rewound', to: 'step', feedback: 'Try again.' });
  expect(rewound().conversation.system.at(-1)?.label?.trust).toBe('trusted');
  expect(rewound(rememberMessage()).conversation.system.at(-1)?.label?.trust).toBe('untrusted');
});
