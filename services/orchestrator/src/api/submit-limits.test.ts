import { MillraceError, buildTextMessage, type RunRequest } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createSubmitGuard } from './submit-limits.ts';

const request = (tenant = 'acme', text = 'hello'): RunRequest => ({
  runId: 'r',
  tenant,
  agent: 'demo',
  messages: [buildTextMessage('m1', 'user', text)],
  requestContext: {},
  deadlineMs: 1_000,
});
const party = (tenant = 'acme', caller = 'ada') => ({ tenant, caller });
const limits = { maxInputBytes: 1_000, runsPerSecond: 1, maxQueuedBytes: 5_000 };
const nothingQueued = () => ({ tenant: 0, caller: 0 });
const refusal = (work: () => void): MillraceError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (MillraceError.isInstance(error)) return error;
    throw error;
  }
};

test('a tenant may submit a second’s runs at once, then that number per second, and receives the time of the next attempt', () => {
  let now = 0;
  const guard = createSubmitGuard({ ...limits, runsPerSecond: 10 }, nothingQueued, () => now);
  const submit = () => refusal(() => guard.check(request(), party()));
  for (let count = 0; count < 10; count++) expect(submit()).toBeUndefined();
  const refused = submit();
  expect(refused).toMatchObject({ code: 'too-many-runs', path: 'RUNS_PER_SECOND', retryAfterMs: 100 });
  now += 100;
  expect(submit()).toBeUndefined();
  expect(submit()).toMatchObject({ code: 'too-many-runs' });
  now += 5_000;
  for (let count = 0; count < 10; count++) expect(submit()).toBeUndefined();
});

test('one tenant’s runs do not count for another one', () => {
  const guard = createSubmitGuard(limits, nothingQueued, () => 0);
  expect(refusal(() => guard.check(request('acme'), party('acme')))).toBeUndefined();
  expect(refusal(() => guard.check(request('acme'), party('acme')))).toBeDefined();
  expect(refusal(() => guard.check(request('other'), party('other')))).toBeUndefined();
});

test('messages above the limit are refused by its name, and do not count for the rate', () => {
  const guard = createSubmitGuard(limits, nothingQueued, () => 0);
  expect(refusal(() => guard.check(request('acme', 'x'.repeat(1_000)), party('acme')))).toMatchObject({
    code: 'input-too-large',
    path: 'MAX_INPUT_BYTES',
  });
  expect(refusal(() => guard.check(request(), party()))).toBeUndefined();
});

test('a tenant with the maximum number of bytes in the queue is refused by the name of that limit, and others are not', () => {
  const guard = createSubmitGuard(
    limits,
    ({ tenant, caller }) =>
      tenant === 'acme' ? { tenant: 4_500, caller: caller === 'ada' ? 4_500 : 0 } : { tenant: 0, caller: 0 },
    () => 0,
  );
  expect(refusal(() => guard.check(request('acme', 'x'.repeat(700)), party('acme')))).toMatchObject({
    code: 'queue-full',
    path: 'MAX_QUEUED_BYTES',
    retryAfterMs: expect.any(Number),
  });
  expect(refusal(() => guard.check(request('acme'), party('acme')))).toBeUndefined();
  expect(refusal(() => guard.check(request('other', 'x'.repeat(700)), party('other')))).toBeUndefined();
  // Another caller has a share on top, and a caller with more bytes than the share has none.
  expect(refusal(() => guard.check(request('acme', 'x'.repeat(400)), party('acme', 'bob')))).toBeUndefined();
  expect(refusal(() => guard.check(request('acme', 'x'.repeat(700)), party('acme', 'bob')))).toMatchObject({
    code: 'queue-full',
  });
});

test('a caller that has submitted little may submit when another caller has used up the rate of the tenant', () => {
  let now = 0;
  const guard = createSubmitGuard({ ...limits, runsPerSecond: 80 }, nothingQueued, () => now);
  const countAccepted = (caller: string) =>
    Array.from({ length: 200 }, () => refusal(() => guard.check(request(), party('acme', caller)))).filter(
      (refused) => refused === undefined,
    ).length;
  expect(countAccepted('ada')).toBe(80);
  // All other callers together have an eighth more.
  expect(countAccepted('bob')).toBe(10);
  expect(countAccepted('cyd')).toBe(0);
  now += 1_000;
  expect(countAccepted('ada')).toBe(80);
  expect(countAccepted('cyd')).toBe(10);
});
