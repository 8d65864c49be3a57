// The options of the keyword processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { streamPatternSchema, totalProblemOf } from '../text/linear-pattern.ts';

/** Code units; with MAX_TOKEN it bounds what a keyword can hold back. */
export const MAX_KEYWORD = 200;
const MAX_KEYWORDS = 10_000;
const MAX_PATTERNS = 100;

export const keywordOptions = z
  .strictObject({
    keywords: z
      .array(z.string().trim().min(1).max(MAX_KEYWORD))
      .max(MAX_KEYWORDS)
      .default([])
      .describe(
        'words and phrases; of letters alone they are also found cut by punctuation, spaced out or with accents',
      ),
    patterns: z
      .array(streamPatternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe('regular expressions (RE2), upper and lower case the same, matches of at most 512 characters'),
    wholeWords: z.boolean().default(true).describe('whether a keyword must be whole words'),
    strategy: z
      .enum(['block', 'redact', 'warn'])
      .default('block')
      .describe('block: the run stops; redact: what was found becomes [REDACTED]; warn: reported only'),
    response: responseOption,
  })
  .refine(({ keywords, patterns }) => keywords.length + patterns.length > 0, {
    message: 'at least one keyword or pattern is needed',
    path: ['keywords'],
  })
  .superRefine(({ patterns }, context) => {
    const problem = totalProblemOf(patterns);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['patterns'] });
  });
export type KeywordOptions = z.output<typeof keywordOptions>;
