// The matches of a filter's patterns in texts: a preset's name as the rule of a hit, `pattern` for the operator's own, which callers
// do not learn.
import { readingEscapes } from '../guard/unescaped-rule.ts';
import type { Hit } from '../guard/report.ts';
import { findInOrder } from '../guard/rules-in-order.ts';
import type { StreamRule } from '../guard/text-guard.ts';
import { findPatterns, settledByPatterns } from '../patterns/pattern-filter.ts';
import { compileCasePattern, compilePattern, type LinearPattern } from '../text/linear-pattern.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { sourceOf } from './presets.ts';
import type { RegexFilterOptions } from './regex-filter-options.ts';

export type FilterPattern = LinearPattern & { rule: string; name?: string; mark: string };
export type MatchOptions = Pick<RegexFilterOptions, 'rules' | 'presets' | 'mark'>;

export const filterPatterns = ({ rules, presets, mark }: MatchOptions): FilterPattern[] => [
  ...rules.map(({ pattern, name, caseSensitive, mark: own }) => ({
    ...(caseSensitive ? compileCasePattern(pattern) : compilePattern(pattern)),
    rule: 'pattern',
    name: name ?? pattern,
    mark: own ?? mark,
  })),
  ...presets.map((preset) => ({ ...compilePattern(sourceOf(preset)), rule: preset, mark })),
];

/** Marks are the patterns' own, so that nothing is looked for in what another has left. */
export const prepareMatches: PrepareJudge<MatchOptions, Hit[][]> = (options) =>
  findInOrder([filterRule(filterPatterns(options))], undefined);

export const filterRule = (patterns: readonly FilterPattern[]): StreamRule =>
  readingEscapes({
    heldIn: 'held',
    placesIn: 'places',
    find: (text) =>
      findPatterns(patterns, text).map(({ pattern: { rule, name, mark }, start, end }) => ({
        start,
        end,
        rule,
        detail: { mark, ...(name !== undefined && { pattern: name }) },
      })),
    settled: (text) => settledByPatterns(patterns, text),
  });
