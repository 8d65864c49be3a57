import type { PlanEntry } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { agentOf } from '../testing/run-states.ts';
import { rawIssues } from './raw-issues.ts';

const raw = agentOf({ raw: true });
const output = (entry: string, more: Partial<PlanEntry> = {}) => planEntry(entry, { lists: ['output'], ...more });

test('raw data is refused beside a processor of the output, by its name', () => {
  const issues = [{ code: 'agent-invalid', path: 'raw', message: expect.stringContaining('past pii') }];
  expect(rawIssues(raw, planOf([output('pii')]))).toMatchObject(issues);
  expect(rawIssues(agentOf({}), planOf([output('pii')]))).toEqual([]);
});

test('raw data is refused beside a processor of the output that callers may list', () => {
  const overridable = { pii: { ...output('pii'), optionsSchema: {} } };
  expect(rawIssues(raw, { ...planOf([]), overridable })).toMatchObject([{ path: 'raw' }]);
});

test('raw data may be shown beside memory, those that observe and processors of the input', () => {
  const plan = planOf([
    planEntry('pii'),
    output('message-history', { memory: true }),
    output('word-counter', { observe: true }),
  ]);
  expect(rawIssues(raw, plan)).toEqual([]);
});
