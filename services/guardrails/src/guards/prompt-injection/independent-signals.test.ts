import { expect, test } from 'vitest';
import { selectIndependent } from './independent-signals.ts';
import { judgeSignals, type Signal } from './signals.ts';

const signal = (rule: string, weight: number, start: number, end: number): Signal => ({
  rule,
  aim: 'role',
  weight,
  start,
  end,
});
const rules = (...signals: Signal[]) => Array.from(selectIndependent(signals), ({ rule }) => rule).toSorted();

test('of several rules on the same words, the strongest signal counts', () => {
  expect(rules(signal('a', 0.5, 0, 20), signal('b', 0.3, 5, 15))).toEqual(['a']);
  expect(rules(signal('b', 0.3, 0, 20), signal('a', 0.5, 5, 15))).toEqual(['a', 'b']);
});
test('of rules with the same evidence the first signal counts, and other words count again', () => {
  expect(rules(signal('a', 0.5, 0, 20), signal('b', 0.5, 2, 18))).toEqual(['a']);
  expect(rules(signal('a', 0.5, 0, 20), signal('b', 0.5, 19, 40))).toEqual(['a', 'b']);
  expect(rules(signal('a', 0.5, 0, 20), signal('b', 0.5, 30, 40), signal('c', 0.3, 12, 28))).toEqual(['a', 'b', 'c']);
});
test('two medium signals on one phrase are no attack, and on two phrases they are', () => {
  const text = 'The same sentence contains all of the signals here';
  expect(judgeSignals(text, [signal('a', 2.5, 0, 20), signal('b', 2.5, 0, 20)], 0.7).score).toBeLessThan(0.7);
  expect(judgeSignals(text, [signal('a', 2.5, 0, 20), signal('b', 2.5, 30, 50)], 0.7).score).toBeGreaterThan(0.9);
});
test('many signals are compared once', () => {
  const many = Array.from({ length: 50_000 }, (_, at) =>
    signal(`r${at % 7}`, [0.5, 0.3, 0.15][at % 3] ?? 0, at, at + 30),
  );
  expect(selectIndependent(many).size).toBeGreaterThan(1_000);
});
