// Options of the system-prompt-scrubber processor.
import { z } from 'zod';
import { responseOption } from '../../guard/strategy-options.ts';
import { streamPatternSchema, boundPatterns } from '../../text/linear-pattern.ts';

const MAX_PATTERNS = 100;

export const scrubberOptions = z
  .strictObject({
    strategy: z
      .enum(['redact', 'block', 'warn'])
      .default('redact')
      .describe('redact: replace each stretch by [REDACTED]. block: stop the run. warn: report only.'),
    minWords: z.int().min(3).max(40).default(6).describe('Minimum number of matching words, in order, in a stretch.'),
    patterns: z
      .array(streamPatternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe(
        'Regular expressions (RE2) of further confidential text, such as code names. A match has at most 512 characters.',
      ),
    response: responseOption,
  })
  .superRefine(boundPatterns('patterns', ({ patterns }) => patterns));
export type ScrubberOptions = z.output<typeof scrubberOptions>;
