import { expect, test } from 'vitest';
import { runWithinTime } from './within-time.ts';

const endless = () => {
  for (;;);
};

test('work within its time returns its result, and throws its errors', () => {
  expect(runWithinTime(1_000, () => 17)).toEqual({ value: 17 });
  const throwBroken = () => {
    throw new RangeError('of its own');
  };
  expect(() => runWithinTime(1_000, throwBroken)).toThrow(new RangeError('of its own'));
});

test('work without end is interrupted, and not retried after it has had its time', () => {
  let times = 0;
  let clock = 0;
  const readUsed = () => (clock += 200);
  // Long enough for a busy machine to begin the work.
  expect(runWithinTime(200, () => (times++, endless()), readUsed)).toBeUndefined();
  expect(times).toBe(1);
});

test('work that a busy machine did not run is retried, but not for ever', () => {
  let times = 0;
  const secondTime = () => (times++ === 0 ? endless() : 'done');
  expect(runWithinTime(20, secondTime, () => 0)).toEqual({ value: 'done' });
  times = 0;
  expect(
    runWithinTime(
      20,
      () => (times++, endless()),
      () => 0,
    ),
  ).toBeUndefined();
  expect(times).toBe(5);
});
