import { expect, test } from 'vitest';
import { STAGES, listStagesOfList, type Stage } from '../base/stage.ts';
import { allowsRetry, allowsVerdict, verdictSchema, type VerdictType } from './verdict.ts';

const types: VerdictType[] = ['continue', 'abort', 'halt', 'deny', 'suspend', 'respond', 'retry', 'failure'];

test('Each stage allows the verdicts of the table of the semantics', () => {
  const listAllowed = (stage: Stage) => types.filter((type) => allowsVerdict(stage, type)).join(' ');
  expect(Object.fromEntries(STAGES.map((stage) => [stage, listAllowed(stage)]))).toEqual({
    processInput: 'continue abort halt suspend failure',
    processInputStep: 'continue abort halt suspend failure',
    processLLMRequest: 'continue abort halt respond failure',
    processAPIError: 'continue abort retry failure',
    processOutputStream: 'continue abort halt failure',
    processLLMResponse: 'continue abort failure',
    processOutputStep: 'continue abort halt suspend failure',
    processToolCall: 'continue abort halt deny suspend failure',
    processToolResult: 'continue abort halt suspend failure',
    processOutputResult: 'continue abort halt suspend failure',
  });
});

test('abort with retry is allowed except for model errors and tools', () => {
  expect(STAGES.filter((stage) => !allowsRetry(stage))).toEqual([
    'processAPIError',
    'processToolCall',
    'processToolResult',
  ]);
});

test('Every stage belongs to one list', () => {
  const lists = [...listStagesOfList('input'), ...listStagesOfList('output'), ...listStagesOfList('error')];
  expect(lists.toSorted()).toEqual(STAGES.toSorted());
});

test('An unknown member of a verdict is rejected', () => {
  expect(verdictSchema.safeParse({ type: 'continue', reason: 'x' }).success).toBe(false);
  expect(verdictSchema.safeParse({ type: 'abort', reason: 'x', changes: {} }).success).toBe(false);
  expect(
    verdictSchema.safeParse({ type: 'failure', code: 'timeout', message: 'x', retryable: true, state: {} }).success,
  ).toBe(false);
  expect(verdictSchema.safeParse({ type: 'unheard-of' }).success).toBe(false);
});

test('A halt may have an empty text', () => {
  expect(verdictSchema.safeParse({ type: 'halt', response: '' }).success).toBe(true);
});

test.each([-1, 0.5, 1_000_000_001, '1', null])('a verdict with a usage of %j is invalid', (inputTokens) => {
  expect(verdictSchema.safeParse({ type: 'continue', usage: { inputTokens } }).success).toBe(false);
  expect(verdictSchema.safeParse({ type: 'continue', usage: { inputTokens: 1, cost: -1 } }).success).toBe(false);
  expect(verdictSchema.safeParse({ type: 'continue', usage: { inputTokens: 1 } }).success).toBe(true);
});
