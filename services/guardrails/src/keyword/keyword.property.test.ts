// Whatever the chunking: the concatenated deltas are the filter of the whole text, for keywords and patterns, and what is held
// back is bounded.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { streamText, type StreamKind } from '../testing/stream-text.ts';
import { beginning } from '../text/json-place.ts';
import { compilePattern } from '../text/linear-pattern.ts';
import { keyword } from './keyword.ts';
import { createKeywordMatcher } from './keyword-matcher.ts';
import { MARK, keywordRules } from './find-keywords.ts';
import { MAX_KEYWORD, keywordOptions } from './keyword-options.ts';
import { MAX_STRETCH, findPatterns, settledByPatterns } from '../patterns/pattern-filter.ts';
import { MAX_TOKEN } from './tokens.ts';
import { replaceHits } from '../text/replace-hits.ts';
import { replaceSpans, type Span } from '../text/span.ts';

const SEED = 20_261_122;
const keywords = ['drop table', 'drop', 'table of', 'of of', 'c++', 'é', '秘密', 'a b c', 'a'.repeat(150), '\\ x'];
const patterns = ['key-\\d+', 'a.*z', '\\bof\\b\\s+of'].map(compilePattern);
const pieces = [
  [
    'drop',
    'table',
    'of',
    'droplet',
    'c',
    '+',
    '++',
    'é',
    'e\u0301',
    '\u0301',
    '\u200b',
    '秘',
    '密',
    'a',
    'b',
    'c',
    'z',
    '\\',
    'n',
    'x',
    'ſ',
    'K',
  ],
  [
    ' ',
    ' ',
    '  ',
    '\n',
    '\\n',
    '\t',
    '.',
    ',',
    'key-',
    '42',
    '👩‍💻',
    '\ud83d',
    'a'.repeat(70),
    ' '.repeat(70),
    'drop table',
    'ａ',
    'ﬀ',
    '½',
    'ᄀ',
    'ᅡ',
  ],
].flat();
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));
const splits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 });
const marked = (text: string, spans: Span[]) => replaceSpans(text, spans, () => '[]');

describe.each([true, false])('wholeWords %j', (wholeWords) => {
  const matcher = createKeywordMatcher(keywords, wholeWords);
  const filtered = (text: string) => marked(text, matcher.find(text));
  test('what is decided stays so whatever follows', () => {
    fc.assert(
      fc.property(texts, texts, (text, more) => {
        const n = matcher.settled(text);
        expect(filtered(text.slice(0, n)) + filtered(text.slice(n) + more)).toBe(filtered(text + more));
        expect(text.length - n).toBeLessThanOrEqual(MAX_KEYWORD * MAX_TOKEN);
      }),
      { seed: SEED, numRuns: 800 },
    );
  });
});

test('what patterns have decided stays so whatever follows', () => {
  const filtered = (text: string) => marked(text, findPatterns(patterns, text));
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 0, max: 40 }), (text, more, times) => {
      const long = text.repeat(times);
      const n = settledByPatterns(patterns, long);
      expect(filtered(long.slice(0, n)) + filtered(long.slice(n) + more)).toBe(filtered(long + more));
      expect(long.length - n).toBeLessThan(MAX_STRETCH);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas', (kind) => {
  test('are together the filter of the whole text', async () => {
    const options = keywordOptions.parse({
      keywords: ['drop table', 'é', 'a b'],
      patterns: ['key-\\d+'],
      strategy: 'redact',
    });
    const whole = (text: string) =>
      keywordRules(options).reduce(
        (left, { find }) => replaceHits(left, find(left), () => MARK, beginning(kind === 'tool')),
        text,
      );
    await fc.assert(
      fc.asyncProperty(texts, splits, async (text, sizes) => {
        expect((await streamText(keyword.create(options), text, sizes, kind)).passed.join('')).toBe(whole(text));
      }),
      { seed: SEED, numRuns: 120 },
    );
  });
});
