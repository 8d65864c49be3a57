// The configured keywords and patterns in texts. Patterns are looked for in what the keywords have left, as in the stream, where
// one rule holds back what the other has let through.
import { readingEscapes } from '../guard/unescaped-rule.ts';
import type { Hit } from '../guard/report.ts';
import { findInOrder } from '../guard/rules-in-order.ts';
import type { StreamRule } from '../guard/text-guard.ts';
import { compilePattern } from '../text/linear-pattern.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import type { Span } from '../text/span.ts';
import { newLetterReading, type LetterReading } from './cut-letters.ts';
import { createCutMatcher, isCuttable } from './cut-matcher.ts';
import { createKeywordMatcher, newTokenReading, type TokenReading } from './keyword-matcher.ts';
import type { KeywordOptions } from './keyword-options.ts';
import { findPatterns, settledByPatterns } from '../patterns/pattern-filter.ts';

export const MARK = '[REDACTED]';

export const prepareKeywords: PrepareJudge<KeywordOptions, Hit[][]> = (options) =>
  findInOrder(keywordRules(options), options.strategy === 'redact' ? MARK : undefined);

/** Which keyword or pattern it was, callers must not learn: it stands in the detail alone. */
export function keywordRules({ keywords, patterns, wholeWords }: KeywordOptions): StreamRule[] {
  const rules: StreamRule[] = [];
  if (keywords.length > 0) rules.push(wordRule(keywords, wholeWords));
  const cuttable = keywords.filter(isCuttable);
  if (cuttable.length > 0) rules.push(cutRule(cuttable, wholeWords));
  if (patterns.length > 0) {
    const compiled = patterns.map(compilePattern);
    rules.push({
      heldIn: 'heldForPatterns',
      placesIn: 'placesForPatterns',
      find: (text) =>
        findPatterns(compiled, text).map(({ pattern, ...span }) => ({
          ...span,
          rule: 'pattern',
          detail: { pattern: pattern.source },
        })),
      settled: (text) => settledByPatterns(compiled, text),
    });
  }
  return rules.map(readingEscapes);
}

function wordRule(keywords: readonly string[], wholeWords: boolean): StreamRule {
  const { find, settled } = createKeywordMatcher(keywords, wholeWords);
  return {
    heldIn: 'held',
    placesIn: 'places',
    find: (text) => find(text).map(asHit),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
    settled: (text, noted) => settled(text, (noted['tokens'] ??= newTokenReading()) as TokenReading),
  };
}

function cutRule(keywords: readonly string[], wholeWords: boolean): StreamRule {
  const { find, settled } = createCutMatcher(keywords, wholeWords);
  return {
    heldIn: 'heldForCut',
    placesIn: 'placesForCut',
    find: (text) => find(text).map(asHit),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
    settled: (text, noted) => settled(text, (noted['letters'] ??= newLetterReading()) as LetterReading),
  };
}

const asHit = ({ keyword, start, end }: Span & { keyword: string }): Hit => ({
  start,
  end,
  rule: 'keyword',
  detail: { keyword },
});
