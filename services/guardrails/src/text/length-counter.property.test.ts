// Tests that the count of a text in pieces equals the count of the whole text by the segmenter of the runtime.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { countMore, countLength, nothingCounted } from './length-counter.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const countSegments = (text: string): number => [...segmenter.segment(text)].length;

/** Characters that join, separate, or need following ones, a few of each kind. */
const KINDS = [
  'a\u00e9\u7121 ',
  '\r\n\r\n\t\u0000\u00ad\u200b\u2028',
  '\u0301\u200c\u20e3\ufe0f\u{1f3fb}\u0e33\u0903\u093e',
  '\u200d\u200d\u200d',
  '\u0600\u{110bd}\u0d4e',
  '\u{1f1e9}\u{1f1ea}\u{1f1eb}',
  '\u{1f469}\u2764\u{1f308}\u00a9',
  '\u1100\ua960\u1160\ud7b0\u11a8\ud7cb\uac00\uac01\u{16d63}',
  '\u0915\u0937\u094d\u0c15\u0c4d\u1780\u17d2\u093c',
].map((kind) => fc.constantFrom(...Array.from(kind)));
const halves = fc.constantFrom('\ud83d', '\udc69');
const texts = fc.array(fc.oneof(...KINDS, halves, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })), {
  maxLength: 14,
});

test('the counter counts graphemes of any text in any pieces', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }), (parts, sizes) => {
      const text = parts.join('');
      let counted = nothingCounted;
      for (let at = 0, n = 0; at < text.length; n++) {
        const size = sizes[n % sizes.length] ?? 1;
        counted = countMore(counted, text.slice(at, at + size), 'graphemes');
        at += size;
        expect(counted.count).toBe(countSegments(text.slice(0, at)));
      }
    }),
    { seed: 23, numRuns: 3_000 },
  );
});
test('the counter handles every character alone, before and after others', () => {
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += codePoint < 0x3400 ? 1 : 37) {
    const character = String.fromCodePoint(codePoint);
    const text = `a${character}a\n${character}\u0301`;
    expect(countLength(text, 'graphemes')).toBe(countSegments(text));
  }
});
test.each([
  ['marks', 'e', '\u0301'],
  ['joiners', '\u{1f469}', '\u200d\u{1f469}'],
  ['letters that lead', '', '\u0600'],
])('many %s count as one, in pieces too', (_, first, more) => {
  let counted = countMore(nothingCounted, first, 'graphemes');
  for (let count = 0; count < 1_000; count++) counted = countMore(counted, more, 'graphemes');
  expect(counted.count).toBe(1);
});
test('an endless grapheme keeps a bounded end', () => {
  let counted = nothingCounted;
  for (let count = 0; count < 1_000; count++) {
    counted = countMore(counted, '\u{1f469}\u200d', 'graphemes');
    expect(counted.kept.length).toBeLessThanOrEqual(64);
  }
  expect(counted.count).toBe(1);
});
