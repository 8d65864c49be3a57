// Finds the matches of a filter's patterns. The rule of a hit is the preset's name, or `pattern` for an operator's
// pattern, which callers do not learn.
import { addCompatibleView } from '../../guard/compatible-view.ts';
import { addUnescapedView } from '../../guard/unescaped-view.ts';
import type { GuardHit } from '../../guard/report.ts';
import { findInOrder } from '../../guard/find-in-order.ts';
import type { StreamRule } from '../../guard/text-guard.ts';
import { findPatterns, findSettledPatternEnd } from '../../patterns/pattern-filter.ts';
import { compileCasePattern, compilePattern, type TextPattern } from '../../text/linear-pattern.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { getPresetSource } from './presets.ts';
import type { RegexFilterOptions } from './regex-filter-options.ts';

export type FilterPattern = TextPattern & { rule: string; name?: string; mark: string };
export type MatchOptions = Pick<RegexFilterOptions, 'rules' | 'presets' | 'mark'>;

export const filterPatterns = ({ rules, presets, mark }: MatchOptions): FilterPattern[] => [
  ...rules.map(({ pattern, name, caseSensitive, mark: own }) => ({
    ...(caseSensitive ? compileCasePattern(pattern) : compilePattern(pattern)),
    rule: 'pattern',
    name: name ?? pattern,
    mark: own ?? mark,
  })),
  ...presets.map((preset) => ({ ...compilePattern(getPresetSource(preset)), rule: preset, mark })),
];

/** Each pattern has its own mark, so all patterns search the original text. */
const prepareMatches: PrepareJudge<MatchOptions, GuardHit[][]> = (options) =>
  findInOrder([filterRule(filterPatterns(options))], undefined);

export const matchTask = defineTask(import.meta.url, prepareMatches);

export const filterRule = (patterns: readonly FilterPattern[]): StreamRule =>
  addUnescapedView(
    addCompatibleView({
      heldIn: 'held',
      placesIn: 'places',
      find: (text) =>
        findPatterns(patterns, text).map(({ pattern: { rule, name, mark }, start, end }) => ({
          start,
          end,
          rule,
          detail: { mark, ...(name !== undefined && { pattern: name }) },
        })),
      findSettledEnd: (text) => findSettledPatternEnd(patterns, text),
    }),
  );
