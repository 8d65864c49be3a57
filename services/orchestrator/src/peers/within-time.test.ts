import { expect, test } from 'vitest';
import { withinTime } from './within-time.ts';

const endless = () => {
  for (;;);
};

test('work that is done in its time gives what it gives, and throws what it throws', () => {
  expect(withinTime(1_000, () => 17)).toEqual({ value: 17 });
  const broken = () => {
    throw new RangeError('of its own');
  };
  expect(() => withinTime(1_000, broken)).toThrow(new RangeError('of its own'));
});

test('work without end is interrupted, and not tried again when it has had its time', () => {
  let times = 0;
  let clock = 0;
  const used = () => (clock += 20);
  expect(withinTime(20, () => (times++, endless()), used)).toBeUndefined();
  expect(times).toBe(1);
});

test('work that a busy machine did not let run is tried again, and not for ever', () => {
  let times = 0;
  const secondTime = () => (times++ === 0 ? endless() : 'done');
  expect(withinTime(20, secondTime, () => 0)).toEqual({ value: 'done' });
  times = 0;
  expect(
    withinTime(
      20,
      () => (times++, endless()),
      () => 0,
    ),
  ).toBeUndefined();
  expect(times).toBe(5);
});
