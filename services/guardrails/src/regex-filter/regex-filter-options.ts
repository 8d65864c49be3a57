// The options of the regex-filter processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { streamPatternSchema, totalProblemOf } from '../text/linear-pattern.ts';
import { PRESET_NAMES, sourceOf } from './presets.ts';

const MAX_RULES = 100;
const MAX_MARK = 100;
export const DEFAULT_MARK = '[REDACTED]';

const ruleSchema = z.strictObject({
  pattern: streamPatternSchema.describe(
    'a regular expression (RE2), without anchors; matches of at most 512 characters',
  ),
  name: z.string().min(1).max(64).optional().describe('what events call it; callers do not learn it'),
  caseSensitive: z.boolean().default(false).describe('whether upper and lower case are different'),
  mark: z.string().max(MAX_MARK).optional().describe('what stands in the place of a match, with strategy redact'),
});

export const regexFilterOptions = z
  .strictObject({
    rules: z.array(ruleSchema).max(MAX_RULES).default([]).describe('own patterns'),
    presets: z.array(z.enum(PRESET_NAMES)).max(PRESET_NAMES.length).default([]).describe('patterns by name'),
    strategy: z
      .enum(['block', 'redact', 'warn'])
      .default('block')
      .describe('block: the run stops; redact: a match becomes its mark; warn: reported only'),
    phase: z
      .enum(['all', 'input', 'output'])
      .default('all')
      .describe('input: what the caller sends and tool results; output: the stream and the final answer'),
    mark: z
      .string()
      .max(MAX_MARK)
      .default(DEFAULT_MARK)
      .describe('what stands in the place of a match that has no mark of its own'),
    response: responseOption,
  })
  .superRefine(({ rules, presets }, context) => {
    const sources = [...rules.map(({ pattern }) => pattern), ...presets.map(sourceOf)];
    const problem = sources.length === 0 ? 'at least one rule or preset is needed' : totalProblemOf(sources);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['rules'] });
  });
export type RegexFilterOptions = z.output<typeof regexFilterOptions>;
