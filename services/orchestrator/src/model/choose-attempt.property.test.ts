import { failureCauseSchema, type AttemptFailure, type FailureCause, type ModelCandidate } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseAttempt, DEFAULT_ATTEMPTS, type AttemptContext } from './choose-attempt.ts';

const NOW = 1_800_000_000_000;
const makeContext = (over: Partial<AttemptContext> = {}): AttemptContext => ({
  candidates: [{ use: 'a/1' }, { use: 'b/2' }],
  onRefusal: false,
  remainingMs: 600_000,
  now: NOW,
  random: () => 0.5,
  ...over,
});
const fail = (candidate: number, cause: FailureCause, waitMs?: number): AttemptFailure => ({
  candidate,
  cause,
  ...(waitMs !== undefined && { retryAt: NOW + waitMs }),
});

test.each<[string, AttemptFailure[], Partial<AttemptContext>, object]>([
  ['the first candidate, if none has failed', [], {}, { candidate: 0, waitMs: 0 }],
  ['the same candidate after an error of the server', [fail(0, 'unavailable')], {}, { candidate: 0, waitMs: 250 }],
  [
    'the same candidate after a short wait that it requests',
    [fail(0, 'throttled', 2_000)],
    {},
    { candidate: 0, waitMs: 2_000 },
  ],
  ['the next candidate if the requested wait is long', [fail(0, 'throttled', 30_000)], {}, { candidate: 1, waitMs: 0 }],
  ['the next candidate after silence', [fail(0, 'silent')], {}, { candidate: 1 }],
  ['the next candidate after a refused key', [fail(0, 'unauthorized')], {}, { candidate: 1 }],
  ['the next candidate after a prompt that is too long', [fail(0, 'too-long')], {}, { candidate: 1 }],
  [
    'the next candidate after a refusal if the agent allows it',
    [fail(0, 'refused')],
    { onRefusal: true },
    { candidate: 1 },
  ],
  ['none after a refusal', [fail(0, 'refused')], {}, { kind: 'end' }],
  ['none after an invalid request', [fail(0, 'invalid')], {}, { kind: 'end' }],
  ['none if all were silent', [fail(0, 'silent'), fail(1, 'silent')], {}, { kind: 'end' }],
  [
    'the first one again if the others are used up and its wait ends before the deadline',
    [fail(0, 'throttled', 30_000), fail(1, 'silent')],
    {},
    { candidate: 0, waitMs: 30_000 },
  ],
  [
    'none if the only wait ends after the deadline',
    [fail(0, 'throttled', 30_000), fail(1, 'silent')],
    { remainingMs: 20_000 },
    { kind: 'end' },
  ],
  [
    'the next candidate if the first one is not to be asked now',
    [],
    { readOpenUntil: (place) => (place === 0 ? NOW + 3_000 : undefined) },
    { candidate: 1, waitMs: 0 },
  ],
  [
    'the first one that returns, if no candidate is to be asked now',
    [],
    { readOpenUntil: (place) => NOW + (place === 0 ? 9_000 : 4_000) },
    { candidate: 1, waitMs: 4_000 },
  ],
])('The next call asks %s', (_title, failures, over, expected) => {
  expect(chooseAttempt(failures, makeContext(over))).toMatchObject(expected);
});

test('A prompt that was too long for one candidate is sent only to candidates whose window may be larger', () => {
  const candidates: ModelCandidate[] = [
    { use: 'a/1', contextTokens: 100 },
    { use: 'b/2', contextTokens: 100 },
    { use: 'c/3' },
    { use: 'd/4', contextTokens: 200 },
  ];
  const context = makeContext({ candidates });
  expect(chooseAttempt([fail(0, 'too-long')], context)).toMatchObject({ candidate: 2 });
  expect(chooseAttempt([fail(0, 'too-long'), fail(2, 'silent')], context)).toMatchObject({ candidate: 3 });
});

const anyCauses = fc.array(fc.constantFrom(...failureCauseSchema.options), { maxLength: 40 });
const anyCandidates = fc.array(
  fc.record({ use: fc.constant('a/b'), maxAttempts: fc.option(fc.integer({ min: 1, max: 10 }), { nil: undefined }) }),
  { minLength: 1, maxLength: 8 },
);

test('The calls for one answer end, and no candidate gets more than its attempts, whatever fails', () => {
  fc.assert(
    fc.property(
      anyCandidates,
      anyCauses,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (candidates, causes, random) => {
        const context = makeContext({ candidates, random: () => random, onRefusal: true });
        const failures: AttemptFailure[] = [];
        for (let calls = 0; ; calls++) {
          expect(calls).toBeLessThanOrEqual(80);
          const next = chooseAttempt(failures, context);
          if (next.kind === 'end') return;
          const { maxAttempts = DEFAULT_ATTEMPTS } = candidates[next.candidate] ?? {};
          expect(failures.filter(({ candidate }) => candidate === next.candidate).length).toBeLessThan(maxAttempts);
          expect(next.waitMs).toBeLessThan(Math.max(context.remainingMs, 1));
          failures.push({ candidate: next.candidate, cause: causes[calls % Math.max(causes.length, 1)] ?? 'silent' });
        }
      },
    ),
  );
});
