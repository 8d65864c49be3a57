// The matches of a filter's patterns in texts: a preset's name as the rule of a hit, `pattern` for the operator's own, which callers
// do not learn.
import { createCounter } from '../guard/bounds.ts';
import type { Hit } from '../guard/report.ts';
import { findPatterns } from '../patterns/pattern-filter.ts';
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

export const prepareMatches: PrepareJudge<MatchOptions, Hit[][]> = (options) => {
  const patterns = filterPatterns(options);
  return (texts) => {
    const count = createCounter('hits');
    return texts.map((text) => {
      const hits = matchesIn(patterns, text);
      count(hits.length);
      return [hits];
    });
  };
};

export const matchesIn = (patterns: readonly FilterPattern[], text: string): Hit[] =>
  findPatterns(patterns, text).map(({ pattern: { rule, name, mark }, start, end }) => ({
    start,
    end,
    rule,
    detail: { mark, ...(name !== undefined && { pattern: name }) },
  }));
