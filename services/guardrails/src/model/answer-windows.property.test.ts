import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryText } from '../testing/any-text.ts';
import { cutWindows, type AnswerWindow } from './answer-windows.ts';

const sizes = { window: 50, context: 10 };
const cuts = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1 });

/** Cuts the windows as a stream does, delta by delta. */
function cutStream(text: string, lengths: readonly number[]): AnswerWindow[] {
  const all: AnswerWindow[] = [];
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

test('a stream has the windows of the whole text in every chunking', () => {
  fc.assert(
    fc.property(arbitraryText(400), cuts, (text, lengths) => {
      const whole = cutWindows(text, '', sizes, true).windows;
      expect(cutStream(text, lengths)).toEqual(whole);
      expect(whole.map((window) => window.text).join('')).toBe(text);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('the context of a window is the end of the preceding text', () => {
  const { windows } = cutWindows('abcdefghij'.repeat(12), '', sizes, true);
  expect(windows.map(({ context, text }) => [context, text.length])).toEqual([
    ['', 50],
    ['abcdefghij', 50],
    ['abcdefghij', 20],
  ]);
});
