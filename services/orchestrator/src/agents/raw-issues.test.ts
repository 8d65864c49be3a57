import type { PlanEntry } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { makeAgent } from '../testing/run-states.ts';
import { findRawIssues } from './setting-issues.ts';

const raw = makeAgent({ raw: true });
const output = (entry: string, more: Partial<PlanEntry> = {}) => planEntry(entry, { lists: ['output'], ...more });

test('raw data is refused together with a processor of the output, by its name', () => {
  const issues = [{ code: 'agent-invalid', path: 'raw', message: expect.stringContaining('bypasses pii') }];
  expect(findRawIssues(raw, makePlan([output('pii')]))).toMatchObject(issues);
  expect(findRawIssues(makeAgent({}), makePlan([output('pii')]))).toEqual([]);
});

test('raw data is refused together with a processor of the output that callers may list', () => {
  const overridable = { pii: { ...output('pii'), optionsSchema: {} } };
  expect(findRawIssues(raw, { ...makePlan([]), overridable })).toMatchObject([{ path: 'raw' }]);
});

test('raw data is allowed together with memory, observers and processors of the input', () => {
  const plan = makePlan([
    planEntry('pii'),
    output('message-history', { memory: true }),
    output('word-counter', { observe: true }),
  ]);
  expect(findRawIssues(raw, plan)).toEqual([]);
});
