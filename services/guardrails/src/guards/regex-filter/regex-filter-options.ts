// Options of the regex-filter processor.
import { z } from 'zod';
import { requireOneList, responseOption } from '../../guard/strategy-options.ts';
import { streamPatternSchema, findTotalProblem } from '../../text/linear-pattern.ts';
import { PRESET_NAMES, getPresetSource } from './presets.ts';

const MAX_RULES = 100;
const MAX_MARK = 100;
export const DEFAULT_MARK = '[REDACTED]';

const ruleSchema = z.strictObject({
  pattern: streamPatternSchema.describe(
    'Regular expression (RE2) without anchors. A match has at most 512 characters.',
  ),
  name: z.string().min(1).max(64).optional().describe('Name in events. Callers do not receive it.'),
  caseSensitive: z.boolean().default(false).describe('Whether the pattern is case-sensitive.'),
  mark: z.string().max(MAX_MARK).optional().describe('Replacement of a match with the strategy redact.'),
});

export const regexFilterOptions = z
  .strictObject({
    rules: z
      .array(ruleSchema)
      .max(MAX_RULES)
      .default([])
      .describe('Patterns with their own names, marks and case sensitivity.'),
    presets: z.array(z.enum(PRESET_NAMES)).max(PRESET_NAMES.length).default([]).describe('Names of built-in patterns.'),
    strategy: z
      .enum(['block', 'redact', 'warn'])
      .default('block')
      .describe('block: stop the run. redact: replace each match by its mark. warn: report only.'),
    phase: z
      .enum(['all', 'input', 'output'])
      .default('all')
      .describe("input: the caller's messages and tool results. output: the stream and the final answer."),
    mark: z.string().max(MAX_MARK).default(DEFAULT_MARK).describe('Replacement of a match without its own mark.'),
    response: responseOption,
  })
  .superRefine(({ rules, presets }, context) => {
    const sources = [...rules.map(({ pattern }) => pattern), ...presets.map(getPresetSource)];
    const problem = sources.length === 0 ? 'set at least one rule or preset' : findTotalProblem(sources);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['rules'] });
  })
  .meta(requireOneList('rules', 'presets'));
export type RegexFilterOptions = z.output<typeof regexFilterOptions>;
