import { describe, expect, test } from 'vitest';
import { MAX_REASON_CHARS, MAX_STATE_CHARS, applyVerdict, createFailure } from './judge-verdict.ts';
import { buildTextMessage } from '../message/message.ts';
import type { MessageOp } from '../message/conversation.ts';
import type { StageInput } from './stage-call.ts';
import type { Stage } from '../base/stage.ts';
import type { Verdict } from './verdict.ts';

const message = (id: string) => buildTextMessage(id, 'user', id);
const input: StageInput = {
  retryCount: 0,
  stepNumber: 0,
  conversation: {
    entries: [
      { source: 'remembered', message: message('old') },
      { source: 'input', message: message('new') },
    ],
    system: [],
  },
};
const withOps = (...ops: MessageOp[]): Verdict => ({ type: 'continue', changes: { ops } });
const ids = (left: StageInput) => left.conversation?.entries.map((entry) => entry.message.id);

describe('a verdict that the stage allows', () => {
  test('An allowed verdict is returned and its changes are applied without modifying the given input', () => {
    const verdict = withOps({ op: 'remove', ids: ['new'] });
    const judge = applyVerdict('processInput', input, verdict);
    expect(judge.verdict).toEqual(verdict);
    expect(ids(judge.input)).toEqual(['old']);
    expect(ids(input)).toEqual(['old', 'new']);
  });

  test.each<[Verdict]>([
    [{ type: 'abort', reason: 'x'.repeat(2_000_000) }],
    [{ type: 'halt', response: 'kept', reason: 'x'.repeat(2_000_000) }],
  ])('The reason of an allowed verdict is cut to the maximum length', (verdict) => {
    const judged = applyVerdict('processInput', input, verdict).verdict;
    const reason = 'reason' in judged ? (judged.reason ?? '') : '';
    expect(reason).toHaveLength(MAX_REASON_CHARS);
    expect(reason).toMatch(/cut: it had 2000000 characters]$/);
    expect(applyVerdict('processInput', input, judged).verdict).toEqual(judged);
  });

  test('Oversized metadata of an allowed verdict is replaced by the start of its text', () => {
    const abort: Verdict = { type: 'abort', reason: 'x', metadata: { found: 'y'.repeat(100_000) } };
    const { verdict } = applyVerdict('processInput', input, abort);
    expect(JSON.stringify(verdict).length).toBeLessThan(9_000);
    const small: Verdict = { type: 'abort', reason: 'x', metadata: { found: 'y' } };
    expect(applyVerdict('processInput', input, small).verdict).toEqual(small);
  });

  test('The text of a halt is not cut, because it is an answer', () => {
    const halt: Verdict = { type: 'halt', response: 'x'.repeat(20_000) };
    expect(applyVerdict('processInput', input, halt).verdict).toEqual(halt);
  });
});

test.each([
  ['a name', 'rate-limited', 'rate-limited'],
  ['a sentence', 'they said 4111', undefined],
])('The code of a denial is shown if it is a name: %s', (_what, code, shown) => {
  const { verdict } = applyVerdict('processToolCall', input, { type: 'deny', reason: 'no', code });
  expect(verdict).toEqual({ type: 'deny', reason: 'no', ...(shown !== undefined && { code: shown }) });
});

describe('a verdict that is refused', () => {
  test.each<[string, Stage, Verdict]>([
    ['a kind that the stage has not', 'processInput', { type: 'deny', reason: 'x' }],
    ['a change that the stage has not', 'processInput', { type: 'continue', changes: { model: 'openai/b' } }],
    [
      'abort with retry where nothing can be asked again',
      'processToolCall',
      { type: 'abort', reason: 'x', retry: true },
    ],
    ['a message that is not there', 'processInput', withOps({ op: 'replace', message: message('nosuch') })],
  ])('A rejected verdict is the processor’s failure and changes nothing: %s', (_what, stage, verdict) => {
    const judged = applyVerdict(stage, input, verdict);
    expect(judged.verdict).toMatchObject({
      type: 'failure',
      code: 'processor-verdict-refused',
      retryable: false,
    });
    expect(judged.input).toBe(input);
  });

  test.each<[string, MessageOp]>([
    ['removed', { op: 'remove', ids: ['old'] }],
    ['replaced', { op: 'replace', message: message('old') }],
    ['added again', { op: 'add', source: 'response', message: message('old') }],
  ])('processOutputResult rejects a verdict about a remembered message that is %s, by id', (_how, op) => {
    const judged = applyVerdict('processOutputResult', input, withOps(op));
    expect(judged.verdict).toMatchObject({ type: 'failure', message: expect.stringContaining('"old"') });
    expect(applyVerdict('processInput', input, withOps(op)).verdict.type).toBe('continue');
  });

  test("processOutputResult accepts changes of this run's messages", () => {
    const judged = applyVerdict('processOutputResult', input, withOps({ op: 'replace', message: message('new') }));
    expect(judged.verdict.type).toBe('continue');
  });
});

test('A failure with a private code becomes the processor’s failure, with that code in its message', () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code of somebody else, as the wire may carry it
  const code = 'my-code' as 'internal';
  expect(createFailure(code, 'broken')).toEqual({
    type: 'failure',
    code: 'processor-failed',
    message: 'my-code: broken',
    retryable: true,
  });
});

describe('a state that is too large', () => {
  const state = { kept: 'x'.repeat(MAX_STATE_CHARS) };
  const judgeCall = (verdict: Verdict) => applyVerdict('processToolCall', input, verdict).verdict;

  test("An oversized state is its processor's failure and reports its size", () => {
    const message = `Its state has ${JSON.stringify(state).length} characters as JSON; the maximum is ${MAX_STATE_CHARS}.`;
    expect(judgeCall({ type: 'continue', state })).toMatchObject({
      code: 'state-too-large',
      message,
      retryable: false,
    });
    expect(judgeCall({ type: 'halt', response: 'well', state })).toMatchObject({ code: 'state-too-large' });
  });

  test('A rejection with an oversized state counts, without the state', () => {
    expect(judgeCall({ type: 'abort', reason: 'no', state })).toEqual({ type: 'abort', reason: 'no' });
    expect(judgeCall({ type: 'deny', reason: 'no', state })).toEqual({ type: 'deny', reason: 'no' });
  });

  test('The state limit is exact to one character', () => {
    const whole = { kept: 'x'.repeat(MAX_STATE_CHARS - '{"kept":""}'.length) };
    expect(judgeCall({ type: 'continue', state: whole })).toEqual({ type: 'continue', state: whole });
  });
});
