import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../testing/any-text.ts';
import { cutWindows, type Window } from './windows.ts';

const sizes = { window: 50, context: 10 };
const cuts = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1 });

/** As a stream comes: the windows of all deltas. */
function streamed(text: string, lengths: readonly number[]): Window[] {
  const all: Window[] = [];
  let held = '';
  let context = '';
  for (let at = 0, n = 0; at < text.length; n++) {
    const length = lengths[n % lengths.length] ?? 1;
    const cut = cutWindows(held + text.slice(at, at + length), context, sizes, false);
    all.push(...cut.windows);
    held = cut.rest;
    context = cut.context;
    at += length;
  }
  return [...all, ...cutWindows(held, context, sizes, true).windows];
}

test('the windows of a stream are those of the whole text, whatever it is cut into', () => {
  fc.assert(
    fc.property(anyText(400), cuts, (text, lengths) => {
      const whole = cutWindows(text, '', sizes, true).windows;
      expect(streamed(text, lengths)).toEqual(whole);
      expect(whole.map((window) => window.text).join('')).toBe(text);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('a window has the end of what came before it as its context', () => {
  const { windows } = cutWindows('abcdefghij'.repeat(12), '', sizes, true);
  expect(windows.map(({ context, text }) => [context, text.length])).toEqual([
    ['', 50],
    ['abcdefghij', 50],
    ['abcdefghij', 20],
  ]);
});
