import type { PlanEntry, Release } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { makePlan, planEntry } from '../testing/plan-entries.ts';
import { findPlanWarnings } from './plan-warnings.ts';

test('an entry that may change the whole result without judging the stream gets a warning, unless the stream waits', () => {
  const codes = (release: Release, more: Partial<PlanEntry> = {}) => {
    const entry = planEntry('late', { lists: ['output'], stages: ['processOutputResult'], ...more });
    return findPlanWarnings(makePlan([entry]), [], { release }).map(({ code }) => code);
  };
  expect(codes('chunk')).toEqual(['answer-shown-before']);
  expect(codes('step')).toEqual(['answer-shown-before']);
  expect(codes('result')).toEqual([]);
  expect(codes('chunk', { changes: { processOutputResult: false } })).toEqual([]);
  expect(codes('chunk', { stages: ['processOutputStream', 'processOutputResult'] })).toEqual([]);
  expect(codes('chunk', { memory: true })).toEqual([]);
});
