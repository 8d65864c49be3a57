import {
  MAX_VIOLATIONS,
  buildTextMessage,
  type ErrorCode,
  type MessageOp,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { createFold, createEntryFailure, foldVerdict, judge, type JudgedEntry } from './verdict-fold.ts';

const input: StageInput = {
  retryCount: 0,
  stepNumber: 0,
  conversation: { entries: [], system: [] },
  model: 'openai/a',
};
const add = (id: string): MessageOp => ({ op: 'add', source: 'context', message: buildTextMessage(id, 'user', id) });
type Given = { verdict: Verdict } & Partial<Omit<JudgedEntry, 'verdict' | 'input'>>;
const judgeOne = (verdict: Verdict, more: Partial<Given> = {}): Given => ({ verdict, ...more });
const fold = (stage: Stage, ...given: Given[]) =>
  given.reduce((sum, { verdict, entry = planEntry('guard', { processor: 'pii' }), ...more }) => {
    const one = judge(stage, sum.input, entry, verdict);
    return foldVerdict(sum, { ...one, ms: 3, replica: 'r1', ...more });
  }, createFold(input));
const carried = {
  state: { n: 1 },
  data: [dataChunk('x')],
  violations: [{ processorId: 'guard', message: 'found' }],
};

describe('the verdict continue', () => {
  test('applies changes, and each entry sees those before it', () => {
    const { input: left, ops } = fold(
      'processInputStep',
      judgeOne({ type: 'continue', changes: { ops: [add('m1')], model: 'openai/b' } }),
      judgeOne({ type: 'continue', changes: { ops: [add('m2')] } }),
    );
    expect(left).toMatchObject({ model: 'openai/b' });
    expect(left.conversation?.entries.map(({ message }) => message.id)).toEqual(['m1', 'm2']);
    expect(ops).toHaveLength(2);
  });

  test('carries state, custom chunks and violations', () => {
    const { states, data, violations, outcomes, stopped } = fold(
      'processInput',
      judgeOne({ type: 'continue', ...carried }),
    );
    expect({ states, data, violations }).toEqual({
      states: { guard: { n: 1 } },
      data: carried.data,
      violations: carried.violations,
    });
    expect(outcomes).toEqual([
      {
        entry: 'guard',
        processor: 'pii',
        verdict: 'continue',
        ms: 3,
        attempts: 1,
        replica: 'r1',
        violations: carried.violations,
      },
    ]);
    expect(stopped).toBeUndefined();
  });
});

describe('a verdict that stops', () => {
  test.each<[Verdict, Stage, object]>([
    [
      { type: 'abort', reason: 'no', metadata: { a: 1 }, ...carried },
      'processInput',
      { reason: 'no', metadata: { a: 1 } },
    ],
    [{ type: 'halt', response: 'text', reason: 'because', ...carried }, 'processInput', { reason: 'because' }],
    [{ type: 'deny', reason: 'not that', ...carried }, 'processToolCall', { reason: 'not that' }],
    [{ type: 'respond', chunks: [], ...carried }, 'processLLMRequest', {}],
    [{ type: 'retry', ...carried }, 'processAPIError', {}],
  ])('%j stops with its entry and keeps its findings', (verdict, stage, said) => {
    const { stopped, outcomes, violations, states, data } = fold(stage, judgeOne(verdict));
    expect(stopped).toMatchObject({ entry: { entry: 'guard' }, verdict });
    expect(outcomes).toMatchObject([{ verdict: verdict.type, ...said }]);
    expect({ violations, states, data }).toEqual({
      violations: carried.violations,
      states: { guard: carried.state },
      data: carried.data,
    });
  });

  test('records its reason in events only as a reason: the text of a halt is absent', () => {
    const { outcomes } = fold('processInput', judgeOne({ type: 'halt', response: 'the text' }));
    expect(JSON.stringify(outcomes)).not.toContain('the text');
  });
});

test('the first verdict that stops is the one that counts', () => {
  const first = judgeOne({ type: 'abort', reason: 'first' }, { entry: planEntry('a') });
  const second = judgeOne({ type: 'abort', reason: 'second' }, { entry: planEntry('b') });
  const { stopped, outcomes } = fold('processOutputStream', first, second);
  expect(stopped).toMatchObject({ entry: { entry: 'a' }, verdict: { reason: 'first' } });
  expect(outcomes).toHaveLength(2);
});

describe('a processor’s failure', () => {
  const failure: Verdict = { type: 'failure', code: 'processor-timeout', message: 'too slow', retryable: true };

  test('stops the stage by default', () => {
    const { stopped, outcomes } = fold('processInput', judgeOne(failure));
    expect(stopped?.verdict).toEqual(failure);
    expect(outcomes).toMatchObject([{ verdict: 'failure', error: { code: 'processor-timeout' } }]);
    expect(outcomes[0]).not.toHaveProperty('skipped');
  });

  test('is skipped if the policy allows it, and the outcome reports the skip', () => {
    const entry = planEntry('guard', { onFailure: 'skip' });
    const { stopped, outcomes } = fold('processInput', judgeOne(failure, { entry }));
    expect(stopped).toBeUndefined();
    expect(outcomes).toMatchObject([{ verdict: 'failure', skipped: true, error: { message: 'too slow' } }]);
  });

  test('is not skipped in processInput if the thread belongs to another resource', () => {
    const foreign: Verdict = { type: 'failure', code: 'thread-foreign', message: 'another', retryable: false };
    const entry = planEntry('memory', { onFailure: 'skip' });
    expect(fold('processInput', judgeOne(foreign, { entry })).stopped?.verdict).toEqual(foreign);
    expect(fold('processOutputResult', judgeOne(foreign, { entry })).stopped).toBeUndefined();
  });
});

describe('a verdict that a stage does not allow is the processor’s failure, by name', () => {
  test.each<[Stage, Verdict, string, RegExp]>([
    ['processInput', { type: 'deny', reason: 'x' }, 'processor-verdict-refused', /processInput.*"deny"/],
    ['processInput', { type: 'respond', chunks: [] }, 'processor-verdict-refused', /"respond"/],
    ['processInput', { type: 'retry' }, 'processor-verdict-refused', /"retry"/],
    ['processLLMResponse', { type: 'halt', response: 'x' }, 'processor-verdict-refused', /"halt"/],
    ['processAPIError', { type: 'halt', response: 'x' }, 'processor-verdict-refused', /"halt"/],
    ['processAPIError', { type: 'abort', reason: 'x', retry: true }, 'processor-verdict-refused', /retry/],
    ['processToolCall', { type: 'abort', reason: 'x', retry: true }, 'processor-verdict-refused', /retry/],
    ['processToolResult', { type: 'abort', reason: 'x', retry: true }, 'processor-verdict-refused', /retry/],
    ['processLLMRequest', { type: 'suspend', payload: {} }, 'processor-verdict-refused', /"suspend"/],
    ['processInput', { type: 'suspend', payload: 'x'.repeat(40_000) }, 'processor-verdict-refused', /40002 characters/],
    ['processInput', { type: 'continue', changes: { model: 'openai/b' } }, 'processor-verdict-refused', /"model"/],
    ['processToolResult', { type: 'continue', changes: { args: {} } }, 'processor-verdict-refused', /"args"/],
    ['processOutputStream', { type: 'continue', changes: { ops: [] } }, 'processor-verdict-refused', /"ops"/],
  ])('%s: %j', (stage, verdict, code, message) => {
    const { stopped, input: left, ops } = fold(stage, judgeOne(verdict));
    expect(stopped?.verdict).toMatchObject({ type: 'failure', code, message: expect.stringMatching(message) });
    expect(left).toEqual(input);
    expect(ops).toEqual([]);
  });

  test('a change of an unknown message is a failure too, not the end of the orchestrator', () => {
    const ops: MessageOp[] = [{ op: 'replace', message: buildTextMessage('nosuch', 'user', 'x') }];
    const { stopped } = fold('processInput', judgeOne({ type: 'continue', changes: { ops } }));
    expect(stopped?.verdict).toMatchObject({ type: 'failure', message: expect.stringContaining('nosuch') });
  });

  test('and is subject to its policy', () => {
    const entry = planEntry('guard', { onFailure: 'skip' });
    const { stopped, outcomes } = fold('processInput', judgeOne({ type: 'deny', reason: 'x' }, { entry }));
    expect(stopped).toBeUndefined();
    expect(outcomes).toMatchObject([{ verdict: 'failure', skipped: true }]);
  });
});

describe('violations of an entry', () => {
  const makeFound = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ processorId: 'x', message: `v${at}` }));

  test('are limited in number, with one that counts the rest', () => {
    const { violations, outcomes } = fold('processInput', judgeOne({ type: 'continue', violations: makeFound(100) }));
    expect(violations).toHaveLength(MAX_VIOLATIONS + 1);
    expect(violations.at(-1)).toEqual({ processorId: 'guard', message: '68 more violations were found.', count: 68 });
    expect(outcomes[0]?.violations).toEqual(violations);
  });

  test('belong to the entry, whatever id the processor returns', () => {
    const { violations } = fold('processInput', judgeOne({ type: 'continue', violations: makeFound(1) }));
    expect(violations).toEqual([{ processorId: 'guard', message: 'v0' }]);
  });
});

test.each([
  ['nobody-there', 'processor-not-there', '"guard" (pii): no'],
  ['of-tomorrow', 'processor-failed', 'of-tomorrow: "guard" (pii): no'],
  ['constructor', 'processor-failed', 'constructor: "guard" (pii): no'],
])('an entry that returned %s has failed with %s', (code, failure, message) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code as another version may answer it
  const error = { code: code as ErrorCode, message: 'no' };
  expect(createEntryFailure(planEntry('guard', { processor: 'pii' }), error)).toMatchObject({ code: failure, message });
});

test('a verdict with changes fails if the plan states that its entry changes nothing', () => {
  const input = { retryCount: 0, stepNumber: 0, conversation: { entries: [], system: [] } };
  const changing = {
    type: 'continue' as const,
    changes: { ops: [{ op: 'system' as const, tag: 'a', contents: ['b'] }] },
  };
  const never = planEntry('pii', { changes: { processInput: false } });
  expect(judge('processInput', input, never, changing)).toMatchObject({
    input,
    verdict: { type: 'failure', code: 'processor-verdict-refused', message: expect.stringContaining('processInput') },
  });
  expect(judge('processInputStep', input, never, changing).verdict.type).toBe('continue');
  expect(judge('processInput', input, never, { type: 'continue' }).verdict.type).toBe('continue');
});
