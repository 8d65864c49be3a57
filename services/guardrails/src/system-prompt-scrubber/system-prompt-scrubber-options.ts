// The options of the system-prompt-scrubber processor.
import { z } from 'zod';
import { responseOption } from '../guard/strategy-options.ts';
import { streamPatternSchema, totalProblemOf } from '../text/linear-pattern.ts';

const MAX_PATTERNS = 100;

export const scrubberOptions = z
  .strictObject({
    strategy: z
      .enum(['redact', 'block', 'warn'])
      .default('redact')
      .describe('redact: a stretch becomes [REDACTED]; block: the run stops; warn: reported only'),
    minWords: z
      .int()
      .min(3)
      .max(40)
      .default(6)
      .describe('how many words of a system message a stretch must have, in order, to count'),
    patterns: z
      .array(streamPatternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe(
        'regular expressions (RE2) for what must not be told either, such as code names; at most 512 characters',
      ),
    response: responseOption,
  })
  .superRefine(({ patterns }, context) => {
    const problem = totalProblemOf(patterns);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['patterns'] });
  });
export type ScrubberOptions = z.output<typeof scrubberOptions>;
