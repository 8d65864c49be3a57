// Tests chunking: the concatenated deltas equal the filtered whole text for keywords and patterns, and the buffer is
// bounded.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listWronglyMarked, type KnownValue } from '../../testing/known-values.ts';
import { streamText, type StreamKind } from '../../testing/stream-text.ts';
import { createPlace } from '../../text/json-place.ts';
import { compilePattern } from '../../text/linear-pattern.ts';
import { keyword } from './keyword.ts';
import { createLetterReading } from './cut-letters.ts';
import { createCutMatcher, isCuttable } from './cut-matcher.ts';
import { createKeywordMatcher, createTokenReading } from './keyword-matcher.ts';
import { MARK, createKeywordRules } from './find-keywords.ts';
import { MAX_KEYWORD, keywordOptions } from './keyword-options.ts';
import { MAX_STRETCH, findPatterns, findSettledPatternEnd } from '../../patterns/pattern-filter.ts';
import { MAX_TOKEN } from './tokens.ts';
import { replaceHits } from '../../text/replace-hits.ts';
import { replaceSpans, type TextSpan } from '../../text/span.ts';

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
const replaceSpansByMarks = (text: string, spans: TextSpan[]) => replaceSpans(text, spans, () => '[]');

describe.each([true, false])('settled keywords, wholeWords %j', (wholeWords) => {
  const matcher = createKeywordMatcher(keywords, wholeWords);
  const filterWhole = (text: string) => replaceSpansByMarks(text, matcher.find(text));
  test('later text does not change the settled part', () => {
    fc.assert(
      fc.property(texts, texts, (text, more) => {
        const n = matcher.findSettledEnd(text, createTokenReading());
        expect(filterWhole(text.slice(0, n)) + filterWhole(text.slice(n) + more)).toBe(filterWhole(text + more));
        expect(text.length - n).toBeLessThanOrEqual(MAX_KEYWORD * MAX_TOKEN);
      }),
      { seed: SEED, numRuns: 800 },
    );
  });
});

describe.each([true, false])('settled split words, wholeWords %j', (wholeWords) => {
  const matcher = createCutMatcher([...keywords, 'aaaa b', 'xxxxx'].filter(isCuttable), wholeWords);
  const filterWhole = (text: string) => replaceSpansByMarks(text, matcher.find(text));
  const letters = fc.constantFrom(
    ...'droptableofaxbé.-_* \n'.split(''),
    ' '.repeat(60),
    '\u200b',
    '&#46;',
    'x'.repeat(70),
    'á',
  );
  const cut = fc.array(fc.oneof(letters, fc.constantFrom('d.r.o.p', 'd r o p', 'dróp', 'ta-ble', ' ')), {
    maxLength: 40,
  });
  test('later text does not change the settled part', () => {
    const given = cut.map((parts) => parts.join(''));
    fc.assert(
      fc.property(given, given, (text, more) => {
        const n = matcher.findSettledEnd(text, createLetterReading());
        expect(filterWhole(text.slice(0, n)) + filterWhole(text.slice(n) + more)).toBe(filterWhole(text + more));
      }),
      { seed: SEED, numRuns: 800 },
    );
  });
});

test('later text does not change the part that patterns have settled', () => {
  const filterWhole = (text: string) => replaceSpansByMarks(text, findPatterns(patterns, text));
  fc.assert(
    fc.property(texts, texts, fc.integer({ min: 0, max: 40 }), (text, more, times) => {
      const long = text.repeat(times);
      const n = findSettledPatternEnd(patterns, long);
      expect(filterWhole(long.slice(0, n)) + filterWhole(long.slice(n) + more)).toBe(filterWhole(long + more));
      expect(long.length - n).toBeLessThan(MAX_STRETCH);
    }),
    { seed: SEED, numRuns: 200 },
  );
});

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with random text', (kind) => {
  test('the joined deltas equal the filtered whole text', async () => {
    const options = keywordOptions.parse({
      keywords: ['drop table', 'é', 'a b'],
      patterns: ['key-\\d+'],
      strategy: 'redact',
    });
    const whole = (text: string) =>
      createKeywordRules(options).reduce(
        (left, { find }) => replaceHits(left, find(left), () => MARK, createPlace(kind === 'tool')),
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

describe.each<StreamKind>(['text', 'reasoning', 'tool'])('%s deltas with known keywords', (kind) => {
  test('the joined deltas contain a mark for each keyword and the other words unchanged', async () => {
    const options = { keywords: ['drop table', 'nightingale'], patterns: ['key-\\d+'], strategy: 'redact' };
    const values: KnownValue[] = [
      ['drop table', MARK],
      ['DROP   Table', MARK],
      ['d.r.o.p t-a-b-l-e', MARK],
      ['the n i g h t i n g a l e', `the ${MARK}`],
      ['níghtingále', MARK],
      ['key-42', MARK],
    ];
    const harmless = ['plain', 'droplet', 'a table', 'drop', 'night', 'key', 'é', '漢字', '👩‍💻', 'a.b.c', 'x-y'];
    const known = { values, harmless, ends: [', and ', '; ', '\n', ' (no) '], numRuns: 100 };
    expect(await listWronglyMarked(() => keyword.create(options), kind, known)).toBeUndefined();
  });
});
