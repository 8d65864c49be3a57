import { CLIENT_TOOL_LIMITS } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createRunList } from './run-list.ts';
import { refuseTooManyWaiting } from './waiting-runs.ts';

const { maxWaitingRuns } = CLIENT_TOOL_LIMITS;
const call = { caller: 'ada', tenant: 'acme', run: 'next' };

function createIndex(count: number, caller: string) {
  const list = createRunList();
  const head = { status: 'suspended', agent: 'demo', caller, submittedAt: 0, deadlineAt: 0 } as const;
  for (let at = 1; at <= count; at += 1) list.put({ ...head, runId: `r${at}`, revision: at });
  const findRecent = () => list;
  return { find: () => Promise.resolve(list), findRecent, reload: () => undefined, stop: () => undefined };
}

test('A caller with the maximum of suspended runs is refused, and another caller is not', () => {
  const full = createIndex(maxWaitingRuns, 'ada');
  expect(() => refuseTooManyWaiting(full, call)).toThrow(expect.objectContaining({ code: 'too-many-runs' }));
  expect(() => refuseTooManyWaiting(full, { ...call, caller: 'bob' })).not.toThrow();
  expect(() => refuseTooManyWaiting(createIndex(maxWaitingRuns - 1, 'ada'), call)).not.toThrow();
  expect(() => refuseTooManyWaiting(undefined, call)).not.toThrow();
});
