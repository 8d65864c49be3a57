// Finds the configured keywords and patterns in texts. It searches patterns in the text that the keyword rule has
// filtered, as in the stream, where the second rule buffers the output of the first.
import { addUnescapedView } from '../../guard/unescaped-view.ts';
import type { GuardHit } from '../../guard/report.ts';
import { findInOrder } from '../../guard/find-in-order.ts';
import type { StreamRule } from '../../guard/text-guard.ts';
import { compilePattern } from '../../text/linear-pattern.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import type { TextSpan } from '../../text/span.ts';
import { createLetterReading, type LetterReading } from './cut-letters.ts';
import { createCutMatcher, isCuttable } from './cut-matcher.ts';
import { createKeywordMatcher, createTokenReading, type TokenReading } from './keyword-matcher.ts';
import type { KeywordOptions } from './keyword-options.ts';
import { findPatterns, findSettledPatternEnd } from '../../patterns/pattern-filter.ts';

export const MARK = '[REDACTED]';

export const prepareKeywords: PrepareJudge<KeywordOptions, GuardHit[][]> = (options) =>
  findInOrder(createKeywordRules(options), options.strategy === 'redact' ? MARK : undefined);

export const keywordTask = defineTask(import.meta.url, prepareKeywords);

/** Puts the keyword or pattern into the detail only, because callers must not learn it. */
export function createKeywordRules({ keywords, patterns, wholeWords }: KeywordOptions): StreamRule[] {
  const rules: StreamRule[] = [];
  if (keywords.length > 0) rules.push(createWordRule(keywords, wholeWords));
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
      findSettledEnd: (text) => findSettledPatternEnd(compiled, text),
    });
  }
  return rules.map(addUnescapedView);
}

function createWordRule(keywords: readonly string[], wholeWords: boolean): StreamRule {
  const { find, findSettledEnd: settled } = createKeywordMatcher(keywords, wholeWords);
  return {
    heldIn: 'held',
    placesIn: 'places',
    find: (text) => find(text).map(toKeywordHit),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
    findSettledEnd: (text, noted) => settled(text, (noted['tokens'] ??= createTokenReading()) as TokenReading),
  };
}

function cutRule(keywords: readonly string[], wholeWords: boolean): StreamRule {
  const { find, findSettledEnd: settled } = createCutMatcher(keywords, wholeWords);
  return {
    heldIn: 'heldForCut',
    placesIn: 'placesForCut',
    find: (text) => find(text).map(toKeywordHit),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written here alone, under this very key
    findSettledEnd: (text, noted) => settled(text, (noted['letters'] ??= createLetterReading()) as LetterReading),
  };
}

const toKeywordHit = ({ keyword, start, end }: TextSpan & { keyword: string }): GuardHit => ({
  start,
  end,
  rule: 'keyword',
  detail: { keyword },
});
