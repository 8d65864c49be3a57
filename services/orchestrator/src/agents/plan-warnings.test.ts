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

test('A service that advertises a processor of the plan, and is refused, is named in a warning', () => {
  const plan = makePlan([planEntry('pii', { service: 'guards', lists: ['output'], stages: ['processOutputStream'] })]);
  const warn = (service: string) =>
    findPlanWarnings(plan, [{ service, name: 'pii', problem: 'the service "first" serves a processor of that id' }]);
  expect(warn('evil')).toMatchObject([
    { code: 'processor-ambiguous', message: expect.stringContaining('"evil" advertises "pii" too') },
  ]);
  // Another service owns the name since the plan was made: its runs still call the refused one.
  expect(warn('guards')).toMatchObject([
    {
      code: 'processor-ambiguous',
      message: expect.stringContaining('This agent calls "pii" of the service "guards"'),
      remedy: expect.stringContaining('Apply the agent again'),
    },
  ]);
});
