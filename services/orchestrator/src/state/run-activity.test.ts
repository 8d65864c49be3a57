import type { CallActivity } from '@millrace/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRunActivity, NOTICE_AFTER_MS, type NewCall } from './run-activity.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pii: NewCall = { kind: 'processor', names: ['pii'], stage: 'processInput', service: 'guardrails' };
const listNotices = () => {
  const notices: CallActivity[] = [];
  const ended: CallActivity[] = [];
  const activity = createRunActivity({
    notify: (call) => void notices.push(call),
    onEnded: (call) => void ended.push(call),
  });
  return { notices, ended, activity };
};

test('a run lists a call from its start to its end, with replica, attempt, state and times', () => {
  const { activity, ended } = listNotices();
  const call = activity.begin(pii);
  vi.advanceTimersByTime(1_000);
  call.receive('r1');
  call.setAttempt(2);
  vi.advanceTimersByTime(500);
  const listed = { ...pii, attempt: 2, state: 'working', replica: 'r1', ageMs: 1_500, silentMs: 500 };
  expect(activity.list()).toEqual([listed]);
  call.end();
  call.end();
  expect(activity.list()).toEqual([]);
  expect(ended).toEqual([listed]);
});

test('a call of a processor or the store is noticed after 2 s without an answer, and every 10 s from then on', () => {
  const { activity, notices } = listNotices();
  const call = activity.begin(pii);
  const checkpoint = activity.begin({ kind: 'store', names: ['checkpoint'] });
  call.setState('absent');
  vi.advanceTimersByTime(NOTICE_AFTER_MS - 1);
  expect(notices).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(notices).toMatchObject([{ names: ['pii'], state: 'absent', ageMs: 2_000 }, { kind: 'store' }]);
  vi.advanceTimersByTime(10_000);
  expect(notices).toHaveLength(4);
  call.end();
  checkpoint.end();
  vi.advanceTimersByTime(60_000);
  expect(notices).toHaveLength(4);
  expect(vi.getTimerCount()).toBe(0);
});

test('a call of a model or a tool is listed and never noticed, because followers see its chunks', () => {
  const { activity, notices } = listNotices();
  activity.begin({ kind: 'model', names: ['openai/a'] });
  activity.begin({ kind: 'tool', names: ['clock'] });
  vi.advanceTimersByTime(60_000);
  expect(notices).toEqual([]);
  expect(activity.list()).toHaveLength(2);
});
